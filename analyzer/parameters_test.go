package analyzer_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
)

// executed are the facts of a call to exec with these parameters besides a command.
func executed(t *testing.T, params map[string]any) gavel.Facts {
	t.Helper()
	given := map[string]any{"command": "ls"}
	for name, value := range params {
		given[name] = value
	}
	return newAnalyzer(t).Analyze(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: given}}, nil)
}

func TestParametersThatDoNotFitAreDescribed(t *testing.T) {
	t.Parallel()
	facts := executed(t, map[string]any{"timout": 5, "pty": "yes", "": 1, "env": map[string]any{"A": 1}, "background": nil})
	assert.Equal(t, []string{"", "background", "env", "pty", "timout"}, facts.Exec.Unknown)
	assert.Equal(t, []gavel.Misfit{
		{},
		{Name: "background", Wants: "true or false"},
		{Name: "env", Wants: "an object of texts, with names of letters, digits and _"},
		{Name: "pty", Wants: "true or false"},
		{Name: "timout", Nearest: "timeout"},
	}, facts.Tool.Misfits)
}

func TestOnlyTheFirstOfManyWrongParametersAreDescribed(t *testing.T) {
	t.Parallel()
	params := map[string]any{}
	for i := range 40 {
		params[fmt.Sprintf("x%02d", i)] = true
	}
	facts := executed(t, params)
	assert.Len(t, facts.Exec.Unknown, 40)
	assert.Len(t, facts.Tool.Misfits, 16)
}

func TestTimesAreReadInMilliseconds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		given any
		want  int
	}{
		"whole seconds":         {json.Number("60"), 60000},
		"part of a millisecond": {json.Number("0.0001"), 1},
		"zero":                  {json.Number("0"), -1},
		"negative":              {float64(-3), -1},
		"not a number":          {math.NaN(), -1},
		"too large":             {json.Number("1e999"), 1 << 53},
		"an int":                {7, 7000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			facts := executed(t, map[string]any{"timeout": c.given})
			assert.Equal(t, c.want, facts.Exec.Run.Timeout)
			assert.Empty(t, facts.Exec.Unknown)
		})
	}
	assert.Equal(t, gavel.ExecRun{Background: true, Pty: true, YieldMs: 10},
		executed(t, map[string]any{"background": true, "pty": true, "yieldMs": 10}).Exec.Run)
}

func TestADirectoryOfASandboxThatIsNotAbsoluteIsUnknown(t *testing.T) {
	t.Parallel()
	for stated, want := range map[string]string{"": "", "/box/../b/": "/b", "box": "?", " /box": "/box"} {
		call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Environment: &gavel.Environment{SandboxRoot: stated}}
		assert.Equal(t, want, newAnalyzer(t).Analyze(t.Context(), call, nil).Environment.SandboxRoot, stated)
	}
}

// Hosts keep their settings in the same directory as their sandboxes.
func TestSandboxesAreNotSettingsOfAHost(t *testing.T) {
	t.Parallel()
	for name, touched := range map[string]bool{
		"/home/u/.openclaw/openclaw.json":               true,
		"/home/u/.openclaw/sandboxes":                   true,
		"/home/u/.openclaw/sandboxes/main/a.txt":        false,
		"/home/u/.openclaw/sandboxes/main":              false,
		"/home/u/.openclaw/sandboxes/main/.git/config":  true,
		"/home/u/.openclaw/workspace/sandboxes/main/a":  true,
		"/home/u/.OpenClaw/Sandboxes/main/a.txt":        false,
		"/home/u/.openclaw/sandboxes/main/../../x.json": true,
		"/home/u/.claude/sandboxes/main/a.txt":          true,
	} {
		call := gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "write", Params: map[string]any{"path": name, "content": "x"}},
			Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Executables: map[string]string{}}}
		facts := realAnalyzer(t).Analyze(t.Context(), call, nil)
		assert.Equal(t, touched, len(facts.Touches) > 0, "%s: %v", name, facts.Touches)
	}
}
