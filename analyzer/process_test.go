package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// typing are the facts of a call to process about a session of bash at its prompt.
func typing(t *testing.T, params map[string]any, change func(*gavel.Process)) gavel.Facts {
	t.Helper()
	session := &gavel.Process{Session: "s1", Agent: " Main ", Host: "gateway", Program: "/usr/bin/bash", Cwd: "/srv/app", Waiting: true}
	if change != nil {
		change(session)
	}
	return realAnalyzer(t).Analyze(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "process", Params: params},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Executables: map[string]string{"ls": "/usr/bin/ls"}, Process: session}}, nil)
}

func TestALineForAShellIsReadAsACommand(t *testing.T) {
	t.Parallel()
	facts := typing(t, map[string]any{"action": " Write ", "sessionId": "s1", "data": "ls -l\n"}, nil)
	assert.Equal(t, gavel.ProcessFacts{Action: "write", Session: "s1", Input: "line", Keys: []string{}, Stated: true,
		Agent: "main", Host: "gateway", Program: "/usr/bin/bash", Shell: "bash", Waiting: true}, facts.Process)
	assert.Equal(t, "'/usr/bin/ls' '-l'", facts.Exec.Rendered)
	assert.Equal(t, gavel.ExecRequest{Host: "gateway", Declined: true}, facts.Exec.Request)
	assert.Equal(t, []string{"action", "data", "sessionId"}, facts.Tool.Parameters)
}

func TestOnlyAWholePrintableLineCountsAsALine(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		"ls\n": "line", "ls\r": "line", "ls\r\n": "line", "é\n": "line",
		"ls": "text", "": "text", "ls\n\n": "text", "a\nb\n": "text", "ls\t\n": "text", "ls\x03\n": "text", "\x1b[A\n": "text", "!ls\n": "text",
		"ls\u00a0\n": "text", "ls\u202e\n": "text", "\xff\n": "text", "ls\v\n": "text",
	} {
		facts := typing(t, map[string]any{"action": "write", "sessionId": "s1", "data": data}, nil)
		assert.Equal(t, want, facts.Process.Input, "%q", data)
		assert.Equal(t, want == "line", facts.Exec != nil, "%q", data)
	}
}

func TestInputThatIsMoreThanALineIsText(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		params map[string]any
		want   string
	}{
		"another text":             {map[string]any{"action": "write", "data": "ls\n", "literal": "x"}, "text"},
		"keys":                     {map[string]any{"action": "write", "data": "ls\n", "keys": []any{"Enter"}}, "text"},
		"bytes":                    {map[string]any{"action": "write", "data": "ls\n", "hex": []any{"0d"}}, "text"},
		"a paste":                  {map[string]any{"action": "paste", "text": "ls\n"}, "text"},
		"a paste without marks":    {map[string]any{"action": "paste", "text": "ls\n", "bracketed": false}, "line"},
		"keys alone":               {map[string]any{"action": "send-keys", "keys": []any{"C-c"}}, "keys"},
		"a submit":                 {map[string]any{"action": "submit"}, "keys"},
		"an action without input":  {map[string]any{"action": "poll"}, "none"},
		"input for such an action": {map[string]any{"action": "poll", "data": "ls\n"}, "keys"},
	} {
		c.params["sessionId"] = "s1"
		assert.Equal(t, c.want, typing(t, c.params, nil).Process.Input, name)
	}
}

func TestAnotherSessionIsNotStated(t *testing.T) {
	t.Parallel()
	line := map[string]any{"action": "write", "sessionId": "s1", "data": "ls\n"}
	for name, change := range map[string]func(*gavel.Process){
		"another id":         func(s *gavel.Process) { s.Session = "s2" },
		"a busy shell":       func(s *gavel.Process) { s.Waiting = false },
		"an unknown shell":   func(s *gavel.Process) { s.Program = "/usr/bin/fish" },
		"a relative program": func(s *gavel.Process) { s.Program = "bash" },
	} {
		facts := typing(t, line, change)
		assert.Nil(t, facts.Exec, name)
		assert.Equal(t, name != "another id", facts.Process.Stated, name)
	}
	assert.Zero(t, typing(t, map[string]any{"action": "list"}, func(s *gavel.Process) { s.Session = "" }).Process.Stated)
}
