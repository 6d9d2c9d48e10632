package lint

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASharedDirectoryIsReplaceable(t *testing.T) {
	t.Parallel()
	f := Files{}
	assert.Empty(t, f.replaceable("/usr/bin/ls"))
	assert.Empty(t, f.replaceable("**/rg"))
	assert.Empty(t, f.replaceable("*"))
	assert.Contains(t, f.replaceable("/tmp/x/*"), "below /tmp")
	assert.Contains(t, f.replaceable("/dev/shm/run"), "below /dev/shm")
	assert.Empty(t, f.replaceable("/tmpfs/x"))
}

func TestAPatternBelowTheHomeDirectoryIsLookedUpThere(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	real, err := filepath.EvalSymlinks(home)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(home, "tool"), nil, 0o600))
	require.NoError(t, os.Symlink("tool", filepath.Join(home, "link")))
	f := Files{Home: home}
	assert.Equal(t, filepath.Join(real, "tool"), f.LinkTarget("~/link"))
	assert.Empty(t, f.LinkTarget("~/missing"))
	assert.True(t, f.absent("~/missing"))
	assert.False(t, f.absent("~/link"))
	assert.False(t, Files{}.absent("~/missing"), "the home directory is unknown")
}
