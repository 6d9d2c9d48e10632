package front

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"gavel/grant"
	"gavel/hook"
	"gavel/internal/private"
	"gavel/runner"
)

// maxKeys limits a file of keys, in bytes.
const maxKeys = 64 << 10

// grantKeys reads the keys of grants: of the option --grant-key, or those of the first state directory
// that has some. Without either there are none.
func grantKeys(o Options, states ...string) ([]ed25519.PublicKey, error) {
	if o.GrantKey != "" {
		return readKeys(o.GrantKey)
	}
	for _, state := range states {
		if state == "" {
			continue
		}
		keys, err := Keys(state)
		if len(keys) > 0 || err != nil {
			return keys, err
		}
	}
	return nil, nil
}

// Keys reads the public keys of grants in a state directory. There may be none.
func Keys(state string) ([]ed25519.PublicKey, error) {
	keys, err := readKeys(filepath.Join(state, "keys", "grant.pub"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return keys, err
}

// readKeys reads public keys from a file. One that others could have written is refused: they would
// sign grants themselves.
func readKeys(path string) ([]ed25519.PublicKey, error) {
	fail := func(err error) ([]ed25519.PublicKey, error) {
		return nil, fmt.Errorf("read the key of grants: %w", err)
	}
	file, err := os.Open(path)
	if err != nil {
		return fail(err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	if err := private.CheckPath(path); err != nil {
		return fail(err)
	}
	info, err := file.Stat()
	if err != nil {
		return fail(err)
	}
	if err := private.CheckPublic(path, info); err != nil {
		return fail(err)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxKeys+1))
	if err != nil {
		return fail(err)
	}
	if len(text) > maxKeys {
		return fail(fmt.Errorf("%s is larger than %d bytes", path, maxKeys))
	}
	keys, err := grant.ParseKeys(text)
	if err != nil {
		return fail(fmt.Errorf("%s: %w", path, err))
	}
	return keys, nil
}

// usedGrants is the ledger in the state directory, or one of this process without a state directory.
func usedGrants(o Options, getenv func(string) string) runner.Ledger {
	state := o.State
	if state == "" {
		state = hook.StateDirectory(getenv)
	}
	if state == "" {
		return &grant.Ledger{}
	}
	return &runner.UsedGrants{Path: UsedGrantsFile(state)}
}

// UsedGrantsFile is the file in a state directory that says which grants runners have used.
func UsedGrantsFile(state string) string { return filepath.Join(state, "used-grants.json") }
