//go:build linux && python3

package runner_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/runner"
)

func TestPythonReadsArchivesAndCompiledFilesByThePathOfTheCopy(t *testing.T) {
	program := interpreter(t, "python3")
	dir := directory(t)
	archive := filepath.Join(dir, "archive")
	require.NoError(t, os.Mkdir(archive, 0o700))
	write(t, filepath.Join(archive, "__main__.py"), "import sys; print('of an archive', len(sys.argv))\n")
	out, err := exec.CommandContext(t.Context(), program, "-m", "zipapp", archive, "-p", "/usr/bin/env python3", "-o", filepath.Join(dir, "x.py")).CombinedOutput()
	require.NoError(t, err, string(out))
	write(t, filepath.Join(dir, "y.py"), "import sys; print('compiled', len(sys.argv))\n")
	out, err = exec.CommandContext(t.Context(), program, "-c", "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2])", filepath.Join(dir, "y.py"), filepath.Join(dir, "y.pyc")).CombinedOutput()
	require.NoError(t, err, string(out))
	for name, says := range map[string]string{"x.py": "of an archive 2\n", "y.pyc": "compiled 2\n"} {
		script := filepath.Join(dir, name)
		decision := judgedScript(t, dir, script, []string{program, script, "one"}, "")
		out, _, _, err := run(t, runnerOf(t, runner.Config{Authority: &answers{decide: func(gavel.Call) (gavel.Decision, error) { return decision, nil }}}), dir)
		require.NoError(t, err)
		assert.Equal(t, says, out)
	}
}
