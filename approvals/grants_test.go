package approvals_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/approvals"
)

func TestTheKeyOfGrantsIsMadeOnceAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	first, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	again, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	assert.Equal(t, first.Public(), again.Public())
}

func TestAKeyOfGrantsThatOthersCouldHavePutThereIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"open to the group": func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o640)) },
		"a symbolic link": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"2"))
			require.NoError(t, os.Symlink(path+"2", path))
		},
		"no key":       func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("key"), 0o600)) },
		"half a key":   func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 40)) },
		"a large file": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 1<<20)) },
		"another user's": func(t *testing.T, path string) {
			if os.Geteuid() != 0 {
				t.Skip("only root gives files away")
			}
			require.NoError(t, os.Chown(path, 65534, 65534))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "keys")
			_, err := approvals.OpenKeys(dir, uuid.NewString)
			require.NoError(t, err)
			path := filepath.Join(dir, "grant.key")
			spoil(t, path)
			_, err = approvals.OpenKeys(dir, uuid.NewString)
			assert.ErrorContains(t, err, path)
		})
	}
}
