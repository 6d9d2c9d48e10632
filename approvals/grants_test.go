package approvals_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/approvals"
)

func TestTheGrantKeyIsCreatedOnceAndKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	first, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	again, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	assert.Equal(t, first.Public(), again.Public())
}

func TestAGrantKeyThatOthersCouldReplaceIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"open to the group": func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o640)) },
		"a symbolic link": func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+"2"))
			require.NoError(t, os.Symlink(path+"2", path))
		},
		"no key":       func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("key"), 0o600)) },
		"half a key":   func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 40)) },
		"a large file": func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 1<<20)) },
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

func TestProcessesThatStartTogetherUseOneKey(t *testing.T) {
	for range 20 {
		dir := filepath.Join(t.TempDir(), "keys")
		opened, failed := make([]*approvals.Keys, 8), make([]error, 8)
		var opening sync.WaitGroup
		for i := range opened {
			opening.Go(func() { opened[i], failed[i] = approvals.OpenKeys(dir, uuid.NewString) })
		}
		opening.Wait()
		for i := range opened {
			require.NoError(t, failed[i])
			require.Equal(t, opened[0].Public(), opened[i].Public())
		}
		written, err := os.ReadFile(filepath.Join(dir, "grant.pub"))
		require.NoError(t, err)
		require.Equal(t, string(opened[0].Public()), string(written))
		left, err := os.ReadDir(dir)
		require.NoError(t, err)
		require.Len(t, left, 2, "the two keys, and nothing half made")
	}
}

func TestThePublicKeyIsNotWrittenThroughALink(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.Mkdir(dir, 0o700))
	precious := filepath.Join(t.TempDir(), "precious")
	require.NoError(t, os.WriteFile(precious, []byte("precious"), 0o600))
	public := filepath.Join(dir, "grant.pub")
	require.NoError(t, os.Symlink(precious, public))
	keys, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	kept, err := os.ReadFile(precious)
	require.NoError(t, err)
	assert.Equal(t, "precious", string(kept))
	info, err := os.Lstat(public)
	require.NoError(t, err)
	assert.True(t, info.Mode().IsRegular(), "the file takes the place of the link")
	assert.EqualValues(t, 0o644, info.Mode().Perm())
	written, err := os.ReadFile(public)
	require.NoError(t, err)
	assert.Equal(t, string(keys.Public()), string(written))
}

// While a key is being replaced verifiers accept several: those that an operator added
// to grant.pub stay. Without the key that signs the file is of no use, and written again.
func TestPublicKeysThatAnOperatorAddedAreKept(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	other, err := approvals.OpenKeys(filepath.Join(t.TempDir(), "others"), uuid.NewString)
	require.NoError(t, err)
	keys, err := approvals.OpenKeys(dir, uuid.NewString)
	require.NoError(t, err)
	public := filepath.Join(dir, "grant.pub")
	for held, want := range map[string]string{
		string(other.Public()) + string(keys.Public()): string(other.Public()) + string(keys.Public()),
		string(other.Public()):                         string(keys.Public()),
		"":                                             string(keys.Public()),
	} {
		require.NoError(t, os.WriteFile(public, []byte(held), 0o644))
		_, err := approvals.OpenKeys(dir, uuid.NewString)
		require.NoError(t, err)
		written, err := os.ReadFile(public)
		require.NoError(t, err)
		assert.Equal(t, want, string(written))
	}
}

func TestAKeyDirectoryThatOthersCanChangeIsRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "keys")
	require.NoError(t, os.Mkdir(dir, 0o700))
	require.NoError(t, os.Chmod(dir, 0o770))
	_, err := approvals.OpenKeys(dir, uuid.NewString)
	assert.ErrorContains(t, err, "run chmod go-w "+dir)
	assert.NoFileExists(t, filepath.Join(dir, "grant.key"))
}
