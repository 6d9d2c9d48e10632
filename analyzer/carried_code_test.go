package analyzer_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
)

// TestWrappersRunWhatTheAnalysisSays runs rendered commands with the wrappers of this machine,
// and compares the words that each program was started with to those of its segment. They must be
// the same, except for words that are produced at run time.
func TestWrappersRunWhatTheAnalysisSays(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	tool, log := filepath.Join(root, "tool"), filepath.Join(root, "log")
	script := "#!/bin/sh\n{ printf '%s\\0' \"$0\" \"$@\"; printf '\\n'; } >>" + log + "\n"
	require.NoError(t, os.WriteFile(tool, []byte(script), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "x.sh"), []byte(script), 0o644))
	require.NoError(t, os.Mkdir(filepath.Join(root, "d"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(root, "d", "f1"), nil, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "d", "-f2"), nil, 0o600))
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t),
		Cwd: filepath.Join(root, "d"), Path: []string{root, "/usr/bin", "/bin"}})
	require.NoError(t, err)
	for _, command := range []string{
		"ls | xargs tool a -b", "ls | xargs -n 1 tool --", "ls | xargs -I X tool X 'p q' yX", "ls | xargs env A=1 nice tool",
		"ls | xargs -i tool {}", "find . -type f -exec tool {} ';'", "find . -type f -exec tool -x {} +", "find . -execdir tool a{}b ';'",
		"find . -name f1 -exec sh -c 'tool 1; tool 2' ';' -exec tool ';'", "env -i tool 'a  b'", "nice -n 1 timeout 5 tool '$HOME'",
		"sh ../x.sh a b", "sh -c \"sh ../x.sh 'a b'\"", "command tool a", "sh -c 'exec tool a'", "sh -c '$0 \"$@\"' tool a b", "nohup tool a",
	} {
		require.NoError(t, os.RemoveAll(log))
		facts := a.Analyze(t.Context(), gavel.Call{Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}}, nil).Exec
		require.True(t, facts.Parsed, "%q: %+v", command, facts.Refusal)
		run := exec.CommandContext(t.Context(), "/bin/sh", "-c", facts.Rendered)
		run.Dir = filepath.Join(root, "d")
		out, err := run.CombinedOutput()
		require.NoError(t, err, "%q: %s", facts.Rendered, out)
		ran, err := os.ReadFile(log)
		require.NoError(t, err, "%q ran nothing: %s", facts.Rendered, out)
		for line := range strings.Lines(string(ran)) {
			words := strings.Split(strings.TrimSuffix(line, "\x00\n"), "\x00")
			assert.True(t, slices.ContainsFunc(facts.Segments, func(s gavel.Segment) bool { return runs(s, words) }),
				"%q became %q, which started %q", command, facts.Rendered, words)
		}
	}
}

// runs reports whether a program that was started with these words is the segment.
func runs(s gavel.Segment, words []string) bool {
	more := slices.Contains(s.Dynamic, len(s.Argv))
	if len(words) < len(s.Argv) || len(words) > len(s.Argv) && !more {
		return false
	}
	if words[0] != s.Executable.Real {
		return false
	}
	for i := 1; i < len(s.Argv); i++ {
		if words[i] != s.Argv[i] && !slices.Contains(s.Dynamic, i) {
			return false
		}
	}
	return true
}
