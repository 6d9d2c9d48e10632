//go:build linux

package daemon

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAFileThatOthersCouldReplaceDoesNotIdentifyACaller(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "gavel")
	require.NoError(t, os.WriteFile(path, nil, 0o755))
	require.NoError(t, os.Chmod(dir, 0o755))
	assert.NoError(t, onlyOwners(path))
	require.NoError(t, os.Chmod(path, 0o775))
	assert.Error(t, onlyOwners(path), "its group may write to it")
	require.NoError(t, os.Chmod(path, 0o755))
	require.NoError(t, os.Chmod(dir, 0o777))
	assert.Error(t, onlyOwners(path), "anybody may replace it")
	assert.Error(t, onlyOwners(filepath.Join(dir, "missing")))
	assert.Error(t, onlyOwners(dir))
}
