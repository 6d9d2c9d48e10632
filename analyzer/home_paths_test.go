package analyzer_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer"
	"gavel/analyzer/host"
)

// A path below the home directory is known, however it is written; with anything else that is
// produced at run time it is not.
func TestPathsBelowTheHomeDirectoryAreKnown(t *testing.T) {
	t.Parallel()
	home, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(home, "ws/src"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(home, "cat"), nil, 0o755)) //nolint:gosec // a program
	at := func(home, root string) *analyzer.Analyzer {
		a, err := analyzer.New(analyzer.Config{Host: host.Local(), Tables: shippedTables(t), Home: home, Cwd: root + "/ws", Path: []string{root}, Platform: "linux"})
		require.NoError(t, err)
		return a
	}
	known := at(home, home)
	for command, want := range map[string]bool{
		"cat ~/x": true, `cat ~/"x"`: true, `cat "$HOME/x"`: true, `cat "${HOME}/x"`: true, `cat "$HOME"/x`: true, "cat $HOME/x": true, "cat ${HOME}/x": true,
		"cat ~": false, "cat $HOME": false, "cat ~/$x": false, "cat ~/*": false, "cat $HOME/$x": false, `cat "$HOME/"*`: false, `cat "$HOME"x`: false, `cat "x$HOME/x"`: false, "cat ~root/x": false,
		"cat ~+/x": false, "cat a=~/x": false, `cat "$HOME/~/x"`: false, `cat "${HOME%x}/x"`: false, `cat "${HOME:-/etc}/x"`: false, `cat "$OLDPWD/x"`: false, `cat "~/x"`: false, "cat ~/a:~/b": false,
	} {
		exec := seen(t, known, command)
		assert.Equal(t, want, len(exec.Segments[0].Homed) == 1, command)
		if want {
			require.Len(t, exec.Segments[0].Operands, 1, command)
			assert.Equal(t, home+"/x", exec.Segments[0].Operands[0].Real, command)
		}
		assert.Empty(t, seen(t, at("", home), command).Segments[0].Homed, command)
	}
	for command, want := range map[string]string{
		"cd ~/ws/src && cat x": home + "/ws/src", `cd "$HOME/ws/src" && cat x`: home + "/ws/src", "cd ~/ws && cd src && cat x": home + "/ws/src",
		"cd ~ && cat x": "", "cd ~/$x && cat x": "", "cd $HOME/ws && cat x": "", "cd ~/ws; cat x": "", "cd -P ~/ws && cat x": "",
	} {
		assert.Equal(t, want, seen(t, known, command).Segments[len(seen(t, known, command).Segments)-1].Cwd, command)
	}
	assert.Equal(t, home+"/x", seen(t, known, `cat > "$HOME/x"`).Redirects[0].Real)

	// Without quotes, a home directory with a blank is two words.
	blank := filepath.Join(home, "a b")
	require.NoError(t, os.MkdirAll(filepath.Join(blank, "ws"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(blank, "cat"), nil, 0o755)) //nolint:gosec // a program
	assert.Empty(t, seen(t, at(blank, blank), "cat $HOME/x").Segments[0].Homed)
	assert.Len(t, seen(t, at(blank, blank), `cat "$HOME/x"`).Segments[0].Homed, 1)
}
