package source_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/credentials/source"
)

func TestAProgramIsOneThatNobodyElseCanReplace(t *testing.T) {
	dir := t.TempDir()
	script := func(name, first string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(first+"\necho x\n"), mode))
		require.NoError(t, os.Chmod(path, mode))
		return path
	}
	open := filepath.Join(dir, "open")
	require.NoError(t, os.Mkdir(open, 0o700))
	inside := filepath.Join(open, "python")
	require.NoError(t, os.WriteFile(inside, []byte("no script"), 0o700))
	loose := script("loose", "#!/bin/sh", 0o722)
	loop := filepath.Join(dir, "loop")
	require.NoError(t, os.Chmod(open, 0o777))
	for path, says := range map[string]string{
		"/bin/sh":                                            "",
		script("one", "#!/bin/sh", 0o700):                    "",
		script("blanks", "#! \t/bin/sh -e", 0o700):           "",
		script("none", "echo", 0o700):                        "",
		script("two", "#!"+filepath.Join(dir, "one"), 0o700): "",
		script("through", "#!"+loose, 0o700):                 "can be changed by others: run chmod go-w " + loose,
		script("behind", "#!"+inside+"\targ", 0o700):         open + ": others can replace its contents",
		script("relative", "#!python3", 0o700):               "an absolute path",
		script("empty", "#! ", 0o700):                        "names no program",
		script("missing", "#!/nonexistent/python", 0o700):    "no such file",
		script("loop", "#!"+loop, 0o700):                     "too many scripts",
		script("data", "#!/bin/sh", 0o600):                   "not an executable file",
		open:                                                 "not an executable file",
	} {
		err := source.Executable(path)
		if says == "" {
			assert.NoError(t, err, path)
			continue
		}
		assert.ErrorContains(t, err, says, path)
	}
}
