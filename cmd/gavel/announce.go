package main

import (
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"gavel/bundles"
	"gavel/internal/strictjson"
	"gavel/lint"
)

// announcement is what gavel serve prints in JSON once it listens.
type announcement struct {
	Listen   string `json:"listen,omitempty"`
	Socket   string `json:"socket,omitempty"`
	Tokens   string `json:"tokens"`
	Log      string `json:"log,omitempty"`
	Policy   string `json:"policy"`
	Revision string `json:"revision"`
}

// announce prints where the server listens and how to ask it. It writes to standard output, or
// to standard error if the decision log uses standard output.
func (a *app) announce(s *service, flags serveFlags) {
	status := s.store.Status()
	n := announcement{Tokens: filepath.Join(flags.state, "tokens"), Policy: status.Source, Revision: status.Revision}
	if flags.log != "off" {
		n.Log = flags.log
	}
	for _, ln := range s.listeners {
		switch addr := ln.Addr().(type) {
		case *net.TCPAddr:
			n.Listen = "http://" + addr.String()
			if s.who.tls != nil {
				n.Listen = "https://" + addr.String()
			}
		case *net.UnixAddr:
			n.Socket = addr.Name
		}
	}
	out := a.stdout
	if flags.log == "-" {
		out = a.stderr
	}
	if a.json() {
		_ = strictjson.Write(out, n) // a closed pipe must not stop the server
		return
	}
	text := fmt.Sprintf("gavel serves policy %s, revision %.12s\n", clean(n.Policy), n.Revision)
	if n.Listen != "" {
		text += fmt.Sprintf("  listening on  %s\n", n.Listen)
	}
	if n.Socket != "" {
		text += fmt.Sprintf("  socket        %s\n", clean(n.Socket))
	}
	text += fmt.Sprintf("  tokens        %s\n", clean(n.Tokens))
	if n.Log != "" {
		text += fmt.Sprintf("  decision log  %s\n", clean(n.Log))
	}
	text += "try\n" + example(n, exampleFor(s.agents(), s.who.shared))
	_, _ = fmt.Fprint(out, text)
}

// agents returns the agent ids that the policy names and that need no quotes in an example.
func (s *service) agents() []string {
	policy, ok := s.store.Current().(*bundles.Snapshot)
	if !ok {
		return nil
	}
	return slices.DeleteFunc(lint.AgentIDs(policy.Document()), func(id string) bool {
		return quoted(id) != id // an example has it in quotes
	})
}

// asker is an agent for an example, and the token that may ask for it.
type asker struct{ agent, token string }

// exampleFor returns a configured agent, if there is one. It prefers an agent for which the shared
// decide token may ask over one for which only a gateway may.
func exampleFor(configured, shared []string) asker {
	for _, id := range shared {
		if len(configured) == 0 || slices.Contains(configured, id) {
			return asker{id, "decide.token"}
		}
	}
	if len(configured) == 0 {
		return asker{"coder", "gateway.token"}
	}
	return asker{configured[0], "gateway.token"}
}

// example returns a command that asks the server for a decision.
func example(n announcement, by asker) string {
	const form = `-H "Content-Type: application/json" -d '{"agent":{"id":"%s"},"tool":{"name":"read","params":{"path":"a.txt"}}}'`
	body, token := fmt.Sprintf(form, by.agent), quoted(filepath.Join(n.Tokens, by.token))
	switch {
	case n.Listen != "":
		return fmt.Sprintf("  curl %s/v1/decisions \\\n    -H \"Authorization: Bearer $(cat %s)\" \\\n    %s\n", n.Listen, token, body)
	case by.token == "decide.token":
		return fmt.Sprintf("  curl --unix-socket %s http://localhost/v1/decisions \\\n    %s\n", quoted(n.Socket), body)
	default:
		return fmt.Sprintf("  curl --unix-socket %s http://localhost/v1/decisions \\\n    -H \"Authorization: Bearer $(cat %s)\" \\\n    %s\n",
			quoted(n.Socket), token, body)
	}
}

// quoted returns a path as one shell word.
func quoted(path string) string {
	for _, r := range path {
		if !(r == '/' || r == '.' || r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			return "'" + strings.ReplaceAll(clean(path), "'", `'\''`) + "'"
		}
	}
	return path
}
