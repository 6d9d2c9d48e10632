package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals/view"
)

// callInDirectory returns a directory of this machine with files, and a change that puts a call there.
func callInDirectory(t *testing.T, names ...string) (dir string, change func(*gavel.Call)) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range names {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	return dir, func(c *gavel.Call) {
		c.Environment = &gavel.Environment{Cwd: dir, Workspace: dir, Path: []string{"/usr/bin", "/bin"}}
	}
}

func TestAnAnswerCoversTheFilesThatAPatternMatches(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(dir string) error{
		"a file that came": func(dir string) error { return os.WriteFile(filepath.Join(dir, "c.txt"), nil, 0o600) },
		"a file that went": func(dir string) error { return os.Remove(filepath.Join(dir, "a.txt")) },
		"a file that is a link now": func(dir string) error {
			if err := os.Remove(filepath.Join(dir, "a.txt")); err != nil {
				return err
			}
			return os.Symlink("/etc/passwd", filepath.Join(dir, "a.txt"))
		},
	} {
		for _, command := range []string{"rm *.txt", "rm ./*.txt", "for f in *.txt; do rm $f; done", "sh -c 'rm *.txt'"} {
			dir, here := callInDirectory(t, "a.txt", "b.txt", "x.md")
			f := newFlow(t, "tools: {exec: {host: gateway, constructs: {compound: segments}}}\nagents: {main: {}}\n")
			asked := f.run(t, command, here)
			f.answer(t, asked, "approve")
			require.NoError(t, os.WriteFile(filepath.Join(dir, "y.md"), nil, 0o600), "what does not fit may change")
			require.NoError(t, change(dir))
			again := f.run(t, command, here)
			require.Equal(t, gavel.Ask, again.Effect, "%s: %s: %v", name, command, again.Reasons)
			assert.NotEqual(t, asked.Approval.ID, again.Approval.ID, "%s: %s", name, command)
		}
	}
}

func TestAnAnswerHoldsWhileTheSameFilesMatch(t *testing.T) {
	t.Parallel()
	dir, here := callInDirectory(t, "a.txt", "b.txt")
	f := newFlow(t, asking)
	f.answer(t, f.run(t, "rm *.txt", here), "approve")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "y.md"), nil, 0o600))
	assert.Equal(t, gavel.Allow, f.run(t, "rm *.txt", here).Effect)
}

func TestNoPermanentAnswerCoversAPattern(t *testing.T) {
	t.Parallel()
	_, here := callInDirectory(t, "a.txt", "b.txt")
	d := newFlow(t, asking).run(t, "rm *.txt", here)
	require.Equal(t, gavel.Ask, d.Effect)
	assert.Empty(t, d.Terms.Offer)
	assert.NotContains(t, d.Terms.Answers, gavel.AllowAlways)
}

func TestAQuestionShowsTheFilesThatAPatternMatches(t *testing.T) {
	t.Parallel()
	_, here := callInDirectory(t, "a.txt", "b c.txt")
	f := newFlow(t, asking)
	shown := func(d gavel.Decision) view.Approval {
		require.Equal(t, gavel.Ask, d.Effect)
		a, err := f.people.Find(t.Context(), d.Approval.ID)
		require.NoError(t, err)
		return view.Show(a)
	}
	assert.Equal(t, []string{`'*.txt' fits 2 files: a.txt 'b c.txt'`}, shown(f.run(t, "rm *.txt", here)).Request.Segments[0].Patterns)
	assert.Equal(t, []string{`'*.py' fits no file`}, shown(f.run(t, "rm *.py", here)).Request.Segments[0].Patterns)
	claimed := shown(f.run(t, "rm *.txt"))
	assert.Equal(t, []string{`'*.txt' fits files that Gavel cannot see`}, claimed.Request.Segments[0].Patterns)
	assert.Contains(t, strings.Join(claimed.Once, "\n"), "*.txt fits files that Gavel cannot see")
	assert.NotContains(t, claimed.Decisions, "allow-always")
}
