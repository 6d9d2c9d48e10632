package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/grant"
)

// bindingArea is the area binding: what an answer covers, and who may use it.
func bindingArea() area {
	server := new(counter)
	return area{count: 86, ops: map[string]func(*testing.T, row) trial{
		"envBinding": boundEnv, "buildBinding": builtBinding, "matchBinding": matchedBinding, "matchEnvHash": matchedEnv, "missingBinding": unboundCall,
		"formatCommand": formattedCommand, "rawCommandConsistency": server.contradiction, "normalizePlan": server.plan,
		"systemRunGuard": guard, "mutableOperand": boundOperand, "systemRun": answeredRun,
	}}
}

// referenceCall is a call as the reference binds one.
type referenceCall struct {
	Argv                     json.RawMessage
	Cwd, AgentID, SessionKey *string
	Env                      map[string]string
}

func textOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// bind binds a call as it would be bound on a node, or says why it is bound to nothing.
func (p scene) bind(c referenceCall) (*grant.Bound, string) {
	params, programs := map[string]any{}, map[string]string{}
	var argv []string
	if json.Unmarshal(c.Argv, &argv) == nil && !slices.Contains(argv, "") {
		params["command"] = shellWords(argv)
		for _, word := range argv {
			programs[word] = "/usr/bin/" + word
		}
	} else { // no list of words; what it is instead is the parameter
		params["command"] = part[any](p.t, c.Argv)
		programs["git"] = "/usr/bin/git"
	}
	if c.Env != nil {
		env := map[string]any{}
		for name, value := range c.Env {
			env[name] = value
		}
		params["env"] = env
	}
	call := gavel.Call{Agent: gavel.Agent{ID: p.id}, Session: gavel.Session{Key: textOf(c.SessionKey)}, Tool: gavel.Tool{Name: "exec", Params: params},
		Environment: &gavel.Environment{Cwd: textOf(c.Cwd), Home: "/home/u", Executables: programs}}
	if d := p.Decide(p.t.Context(), call, gavel.Options{}); d.Effect == gavel.Deny {
		return nil, codes(d)
	}
	facts, err := p.Observe(p.t.Context(), call)
	require.NoError(p.t, err)
	bound, err := approvals.BindCall(&facts, "node", "n1", nil)
	if err != nil {
		return nil, err.Error()
	}
	return bound, ""
}

// onNode are settings of exec on a node, where every command is asked about.
func onNode() map[string]any {
	return map[string]any{"exec": map[string]any{"host": "node", "node": "n1", "security": "full"}}
}

// boundEnv compares the variables that are bound; each has its own way to hash them.
func boundEnv(t *testing.T, r row) trial {
	in := part[struct{ Env map[string]string }](t, r.Input)
	keys := part[struct{ EnvKeys []string }](t, r.Expect).EnvKeys
	slices.Sort(keys)
	return trial{want: fmt.Sprint(keys), agent: onNode(), observe: func(p scene) string {
		bound, refused := p.bind(referenceCall{Argv: json.RawMessage(`["ls"]`), Cwd: new("/w"), Env: in.Env})
		if bound == nil {
			return refused
		}
		keys := []string{}
		for _, pair := range bound.Env {
			keys = append(keys, pair[0])
		}
		return fmt.Sprint(keys)
	}}
}

func builtBinding(t *testing.T, r row) trial {
	in := part[referenceCall](t, r.Input)
	want := part[struct {
		Binding struct {
			Argv                     []string
			Cwd, AgentID, SessionKey *string
		}
	}](t, r.Expect).Binding
	return trial{want: fmt.Sprintf("%q in %q of %q", want.Argv, textOf(want.Cwd), textOf(want.SessionKey)), agent: onNode(), observe: func(p scene) string {
		bound, refused := p.bind(in)
		if bound == nil {
			return refused
		}
		return fmt.Sprintf("%q in %q of %q", slices.Concat(bound.Argv...), bound.Cwd, bound.Session)
	}}
}

// matchedBinding compares whether two calls are the same.
func matchedBinding(t *testing.T, r row) trial {
	in := part[struct{ Expected, Actual referenceCall }](t, r.Input)
	return trial{want: fmt.Sprint(part[struct{ OK bool }](t, r.Expect).OK), agent: onNode(), observe: func(p scene) string {
		return p.same(in.Expected, in.Actual)
	}}
}

// same reports whether two calls are bound alike. One that is bound to nothing is the
// same as no other.
func (p scene) same(a, b referenceCall) string {
	first, refused := p.bind(a)
	if first == nil {
		return refused
	}
	second, _ := p.bind(b)
	return fmt.Sprint(second != nil && first.Hash().Hash == second.Hash().Hash)
}

// matchedEnv has a variable with the hash as its value stand for the hash of variables.
func matchedEnv(t *testing.T, r row) trial {
	in := part[struct{ Expected, Actual *string }](t, r.Input)
	call := func(hash *string) referenceCall {
		c := referenceCall{Argv: json.RawMessage(`["ls"]`), Cwd: new("/w")}
		if hash != nil {
			c.Env = map[string]string{"A": *hash}
		}
		return c
	}
	return trial{want: fmt.Sprint(part[struct{ OK bool }](t, r.Expect).OK), agent: onNode(), observe: func(p scene) string {
		return p.same(call(in.Expected), call(in.Actual))
	}}
}

// unboundCall is a call that is bound to nothing: its directory is unknown.
func unboundCall(t *testing.T, r row) trial {
	return trial{want: fmt.Sprint(part[struct{ OK bool }](t, r.Expect).OK), agent: onNode(), observe: func(p scene) string {
		return fmt.Sprint(p.exec("rm x", func(c *gavel.Call) { c.Environment.Cwd = "" }).Effect != gavel.Deny)
	}}
}

// formattedCommand is an argv as people read it.
func formattedCommand(t *testing.T, r row) trial {
	in := part[struct{ Argv []string }](t, r.Input)
	return trial{want: part[struct{ Text string }](t, r.Expect).Text, observe: func(scene) string { return approvals.Words(in.Argv) }}
}

// boundOperand writes the case's files, and compares which of them is bound by content.
func boundOperand(t *testing.T, r row) trial {
	in := part[struct {
		Argv  []string
		Files map[string]string
	}](t, r.Input)
	want := part[struct {
		OK       bool
		Note     string
		Snapshot *struct{ Path, SHA256 string }
	}](t, r.expected())
	bound := "nothing is bound"
	switch {
	case want.Snapshot != nil:
		bound = filepath.Base(want.Snapshot.Path) + " " + want.Snapshot.SHA256[:8]
	case !want.OK:
		bound = "no permanent answer"
	}
	return trial{want: bound, agent: map[string]any{"exec": map[string]any{"host": "gateway", "security": "allowlist"}}, observe: func(p scene) string {
		dir, err := filepath.EvalSymlinks(p.t.TempDir())
		require.NoError(p.t, err)
		for path, content := range in.Files {
			require.NoError(p.t, os.WriteFile(filepath.Join(dir, filepath.Base(path)), []byte(content), 0o644))
		}
		bin := p.t.TempDir()
		for _, name := range []string{"sh", "python3", "python3.12", "node", "bun", "deno", "npm", "npx", "pnpm", "yarn", "tsx", "ls", "make", "cowsay"} {
			require.NoError(p.t, os.WriteFile(filepath.Join(bin, name), []byte("program"), 0o755))
		}
		call := gavel.Call{Agent: gavel.Agent{ID: p.id}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": shellWords(in.Argv)}},
			Environment: &gavel.Environment{Cwd: dir, Home: dir, Path: []string{bin}, Platform: "linux"}}
		d := p.Decide(p.t.Context(), call, gavel.Options{Caller: "gateway"})
		if d.Effect != gavel.Ask {
			return d.Effect.String() + ": " + codes(d)
		}
		facts, err := p.Observe(p.t.Context(), call)
		require.NoError(p.t, err)
		bound, err := approvals.BindCall(&facts, "gateway", "", nil)
		require.NoError(p.t, err)
		var files []string // besides the programs, which anybody could change here
		for _, script := range bound.Scripts {
			if filepath.Dir(script.Path) == dir {
				files = append(files, filepath.Base(script.Path)+" "+script.SHA256[:8])
			}
		}
		switch {
		case len(files) > 0:
			return strings.Join(slices.Compact(files), " ")
		case !slices.Contains(d.Terms.Answers, gavel.AllowAlways):
			return "no permanent answer"
		}
		return "nothing is bound"
	}}
}
