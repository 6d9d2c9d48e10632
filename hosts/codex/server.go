package codex

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/hosts"
)

// The questions of the app server, in both versions of its protocol.
const (
	askCommand    = "item/commandExecution/requestApproval"
	askFiles      = "item/fileChange/requestApproval"
	askCommandOld = "execCommandApproval"
	askFilesOld   = "applyPatchApproval"
)

// isQuestion reports whether a payload is one of these questions.
func isQuestion(p hosts.Payload) bool {
	switch p.Text("method") {
	case askCommand, askFiles, askCommandOld, askFilesOld:
		return p.Has("id") && p.Has("params")
	}
	return false
}

// readServer translates a question. The answer cannot rewrite the command, and it comes from a
// program that acts for the person.
func readServer(table hosts.Table, p hosts.Payload) (hosts.Request, error) {
	params := p.At("params")
	r := hosts.Request{Host: Name, Event: p.Text("method"), Input: p.Object, Login: true}
	session := params.Text("threadId") + params.Text("conversationId")
	cwd := params.Text("cwd")
	if !params.Has("cwd") {
		cwd = "/" // files are named by absolute paths
	}
	base, err := hosts.BaseOf(Name, r.Event, session, cwd)
	if err != nil {
		return r, err
	}
	if more := uncovered(r.Event, params); more != "" {
		r.Tool = r.Event
		base.Tool = gavel.Tool{Name: "exec", Params: map[string]any{}, Unread: more}
		r.Calls = []gavel.Call{base}
		return r, nil
	}
	switch r.Event {
	case askCommand:
		r.Tool = "Bash"
		r.Calls = callsOf(table, base, "Bash", hosts.NewObject(hosts.TextMember("command", inner(params.Text("command")))))
	case askCommandOld:
		r.Tool = "Bash"
		r.Calls = callsOf(table, base, "Bash", hosts.NewObject(hosts.TextMember("command", innerOf(params))))
	case askFilesOld:
		r.Tool = "apply_patch"
		r.Calls = changes(base, params.At("fileChanges"))
	default: // the paths were in an earlier message
		base.Tool = gavel.Tool{Name: "apply_patch", Params: map[string]any{}, Unread: "the question does not name the files that change"}
		r.Calls = []gavel.Call{base}
	}
	return r, nil
}

// uncovered says what a question asks for besides the start of a command or a change of files; "" if it
// asks for nothing else. Typing into a running program, a network address and permissions for later
// actions are not covered by a decision on the command or the files.
func uncovered(event string, params hosts.Object) string {
	if kind := params.Text("kind"); params.Has("kind") && kind != "command" {
		return fmt.Sprintf("the question is of the kind %q, and not about a command that starts", kind)
	}
	known := map[string][]string{
		askCommand: {"kind", "threadId", "turnId", "itemId", "approvalId", "startedAtMs", "environmentId", "reason", "command", "cwd",
			"commandActions", "proposedExecpolicyAmendment", "availableDecisions"},
		askCommandOld: {"conversationId", "callId", "approvalId", "reason", "command", "cwd", "parsedCmd"},
		askFiles:      {"threadId", "turnId", "itemId", "startedAtMs", "reason"},
		askFilesOld:   {"conversationId", "callId", "reason", "fileChanges"},
	}
	for _, m := range params.Members() {
		if m.Value.Kind() != 'n' && !slices.Contains(known[event], m.Name) {
			return fmt.Sprintf("the question also has %q, which the answer to a command or a change of files does not cover", m.Name)
		}
	}
	return ""
}

// changes returns one call for each file that changes, and one for each name that a file gets.
func changes(base gavel.Call, files hosts.Object) []gavel.Call {
	var calls []gavel.Call
	for _, m := range files.Members() {
		change, ok := hosts.ObjectOf(m.Value)
		base.Tool = gavel.Tool{Name: "write", Params: map[string]any{"path": m.Name}}
		if !ok || !strings.HasPrefix(m.Name, "/") {
			base.Tool.Unread = "a file that changes is not named by its absolute path"
		}
		calls = append(calls, base)
		if to := change.Text("move_path"); to != "" {
			base.Tool = gavel.Tool{Name: "write", Params: map[string]any{"path": to}}
			calls = append(calls, base)
		}
	}
	if len(calls) == 0 {
		base.Tool = gavel.Tool{Name: "apply_patch", Params: map[string]any{}, Unread: "the question names no file"}
		calls = append(calls, base)
	}
	return calls
}

// inner returns the text that a login shell runs, from a line such as /bin/bash -lc 'touch x'. Any
// other line is returned unchanged.
func inner(line string) string {
	for _, shell := range []string{"/bin/bash", "/usr/bin/bash", "/bin/zsh", "/usr/bin/zsh", "bash", "zsh"} {
		quoted, ok := strings.CutPrefix(line, shell+" -lc ")
		if !ok {
			continue
		}
		if text, ok := unquoted(quoted); ok {
			return text
		}
	}
	return line
}

// unquoted reads one shell word that is quoted in a simple way.
func unquoted(word string) (string, bool) {
	var text strings.Builder
	for word != "" {
		switch c := word[0]; {
		case c == '\'':
			part, rest, closed := strings.Cut(word[1:], "'")
			if !closed {
				return "", false
			}
			text.WriteString(part)
			word = rest
		case c == '"':
			part, rest, closed := strings.Cut(word[1:], `"`)
			if !closed || strings.ContainsAny(part, "\\$`!") {
				return "", false
			}
			text.WriteString(part)
			word = rest
		case c == '\\' && len(word) > 1 && word[1] == '\'':
			text.WriteByte('\'')
			word = word[2:]
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("_./-", c) >= 0:
			text.WriteByte(c)
			word = word[1:]
		default:
			return "", false
		}
	}
	return text.String(), true
}

// innerOf returns the text that a login shell runs, if the command is a list of words, or else the
// quoted words.
func innerOf(params hosts.Object) string {
	value, _ := params.Get("command")
	elements, _ := hosts.ListOf(value)
	words := make([]string, len(elements))
	for i, element := range elements {
		word, ok := hosts.TextOf(element)
		if !ok {
			return ""
		}
		words[i] = word
	}
	if len(words) == 3 && words[1] == "-lc" && inner(words[0]+" -lc x") == "x" {
		return words[2]
	}
	for i, word := range words {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return strings.Join(words, " ")
}

// answerServer answers a question of the app server, by its id.
func answerServer(r hosts.Request, v hosts.Verdict) hosts.Reply {
	allowed := v.Effect == gavel.Allow
	decision := hosts.Quote("decline")
	switch old := r.Event == askCommandOld || r.Event == askFilesOld; {
	case old && allowed:
		decision = hosts.Quote("approved")
	case old:
		denied := hosts.NewObject(hosts.TextMember("rejection", v.Reason))
		decision = hosts.NewObject(hosts.Member{Name: "denied", Value: denied.JSON()}).JSON()
	case allowed:
		decision = hosts.Quote("accept")
	}
	id, there := r.Input.Get("id")
	if !there {
		id = jsontext.Value("null")
	}
	result := hosts.NewObject(hosts.Member{Name: "decision", Value: decision})
	return hosts.Print(hosts.NewObject(hosts.Member{Name: "id", Value: id}, hosts.Member{Name: "result", Value: result.JSON()}))
}
