package front_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/runner/front"
)

// keyFile writes a public key to a file of a state directory.
func keyFile(t *testing.T) (state, path string, key ed25519.PublicKey) {
	t.Helper()
	key, _, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	der, err := x509.MarshalPKIXPublicKey(key)
	require.NoError(t, err)
	state = t.TempDir()
	path = filepath.Join(state, "keys", "grant.pub")
	require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
	require.NoError(t, os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}), 0o644))
	return state, path, key
}

func TestTheKeysOfGrantsComeFromTheStateDirectoryOrTheOption(t *testing.T) {
	state, path, key := keyFile(t)
	keys, err := front.Keys(state)
	require.NoError(t, err)
	assert.Equal(t, []ed25519.PublicKey{key}, keys)
	keys, err = front.Keys(t.TempDir())
	require.NoError(t, err)
	assert.Empty(t, keys)

	token := func(name string) string { return map[string]string{"GAVEL_TOKEN_FILE": "token"}[name] }
	o := front.Options{Server: "http://127.0.0.1:1", GrantKey: path}
	_, keys, found, err := front.Server(o, token)
	require.NoError(t, err)
	assert.True(t, found)
	assert.Equal(t, []ed25519.PublicKey{key}, keys)
	o.GrantKey += "x"
	_, _, _, err = front.Server(o, token)
	assert.ErrorContains(t, err, "read the key of grants", "a key that was named must be there")
}

func TestAKeyThatOthersCouldHaveWrittenIsRefused(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"open to the group":        func(t *testing.T, path string) { require.NoError(t, os.Chmod(path, 0o664)) },
		"in a directory of others": func(t *testing.T, path string) { require.NoError(t, os.Chmod(filepath.Dir(path), 0o777)) },
		"not a key":                func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte("x"), 0o644)) },
		"a large file":             func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 1<<20)) },
		"a directory": func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.Mkdir(path, 0o700))
		},
	} {
		state, path, _ := keyFile(t)
		spoil(t, path)
		_, err := front.Keys(state)
		assert.ErrorContains(t, err, filepath.Dir(path), name)
	}
}
