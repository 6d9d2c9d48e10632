//go:build unix && root

package host_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/host"
)

// Only root has a directory that nobody else can change: make adds the tag root where root runs the tests.
func TestALinkIsOfRootIfNobodyElseCanChangeItOrItsFile(t *testing.T) {
	t.Parallel()
	home, err := os.UserHomeDir()
	require.NoError(t, err)
	root, err := os.MkdirTemp(home, "gavel-links-")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(root)) })
	bin, lib := filepath.Join(root, "bin"), filepath.Join(root, "lib")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.Mkdir(lib, 0o755))
	file := filepath.Join(lib, "npm-cli.js")
	require.NoError(t, os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755))
	require.NoError(t, os.Symlink("../lib/npm-cli.js", filepath.Join(bin, "npm")))

	ofRoot := func(name, dir string) bool {
		program, found := host.Local().Named(name, []string{dir})
		require.True(t, found)
		return program.LinkOfRoot
	}
	assert.True(t, ofRoot("npm", bin))
	assert.False(t, ofRoot("npm-cli.js", lib), "it is not a link")
	for _, changeable := range []string{bin, lib, file} {
		require.NoError(t, os.Chmod(changeable, 0o777))
		assert.False(t, ofRoot("npm", bin), changeable)
		require.NoError(t, os.Chmod(changeable, 0o755))
	}
	assert.True(t, ofRoot("npm", bin))
}
