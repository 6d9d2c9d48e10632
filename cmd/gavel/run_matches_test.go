//go:build linux

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
	"gavel/runner/proof"
)

// matchesConfig permits to read files by patterns.
const matchesConfig = "tools: {exec: {host: gateway, allowlist: [{pattern: /usr/bin/cat, args: any}, {pattern: /usr/bin/ls, args: any}], constructs: {compound: segments}}," +
	" read: {allow: [/**]}, write: {allow: [/**]}}\nagents: {main: {}}\n"

// commandWithFiles returns a call of a command in a directory with two files, a link and a directory.
func commandWithFiles(t *testing.T, command string) (call gavel.Call, dir string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	for _, name := range []string{"a.txt", "b.txt", "other"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
	}
	require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "sub", "c.txt"), nil, 0o600))
	require.NoError(t, os.Symlink("a.txt", filepath.Join(dir, "link.txt")))
	return gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command, "workdir": dir}},
		Environment: &gavel.Environment{Cwd: "/", Home: dir, Path: []string{"/usr/bin", "/bin"}, Platform: "linux", Shell: "bash"}}, dir
}

// fileChanges are changes of what a pattern matches, after it was judged.
func fileChanges() map[string]func(t *testing.T, dir string) {
	return map[string]func(t *testing.T, dir string){
		"a file more": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "c.txt"), nil, 0o600))
		},
		"a name that is an option": func(t *testing.T, dir string) {
			require.NoError(t, os.WriteFile(filepath.Join(dir, "--help.txt"), nil, 0o600))
		},
		"a link to a secret": func(t *testing.T, dir string) {
			require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "x.txt")))
		},
		"a link that leads elsewhere now": func(t *testing.T, dir string) {
			require.NoError(t, os.Remove(filepath.Join(dir, "link.txt")))
			require.NoError(t, os.Symlink("other", filepath.Join(dir, "link.txt")))
		},
		"a file that is a link now": func(t *testing.T, dir string) {
			require.NoError(t, os.Rename(filepath.Join(dir, "a.txt"), filepath.Join(dir, "moved")))
			require.NoError(t, os.Symlink("other", filepath.Join(dir, "a.txt")))
		},
		"a file less": func(t *testing.T, dir string) { require.NoError(t, os.Remove(filepath.Join(dir, "b.txt"))) },
	}
}

func TestACommandDoesNotRunIfOtherFilesMatchItsPattern(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"cat *.txt", "cat ./*.txt", "cat ~/*.txt", "ls -l | cat *.txt", "for f in *.txt; do cat \"$f\"; done", "cd sub && cat ../*.txt"} {
		for name, change := range fileChanges() {
			here := &personApproves{Authority: runner.Here{PDP: newFlow(t, matchesConfig).PDP}}
			call, dir := commandWithFiles(t, command)
			d := here.Authority.(runner.Here).PDP.Decide(t.Context(), call, gavel.Options{})
			require.Equal(t, gavel.Allow, d.Effect, "%s: %v", command, d.Reasons)
			plan, err := runnerWith(t, here, nil).Prepare(t.Context(), call, "/")
			require.NoError(t, err, "%s, unchanged", command)
			require.NotEmpty(t, plan.Decision.Exec.Pins.Matches, command)
			change(t, dir)
			_, err = plan.Start(t.Context(), [3]*os.File{os.Stdin, os.Stdout, os.Stderr}, false, false)
			assertFilesChanged(t, err, "%s, %s before the start", command, name)
			plan.Close()

			call, dir = commandWithFiles(t, command)
			here.spoil = func(*gavel.Decision) { change(t, dir) }
			_, err = runnerWith(t, here, nil).Prepare(t.Context(), call, "/")
			assertFilesChanged(t, err, "%s, %s after the decision", command, name)
		}
	}
}

func assertFilesChanged(t *testing.T, err error, about ...any) {
	t.Helper()
	var refusal *runner.Refusal
	if assert.ErrorAs(t, err, &refusal, about...) {
		assert.Equal(t, proof.CodeFilesChanged, refusal.Code, about...)
	}
}
