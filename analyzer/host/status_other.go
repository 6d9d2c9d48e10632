//go:build !unix

package host

import (
	"errors"
	"os"
)

// lstat examines a file without following links. What the platform does not have, such as inodes
// and owners, is zero.
func lstat(name string) (status, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return status{}, err
	}
	changed := info.ModTime().UnixNano()
	return status{stamp: stamp{modified: changed, changed: changed}, mode: info.Mode(), size: info.Size()}, nil
}

// openDirectory fails: nothing keeps the platform from following a link.
func openDirectory(string) (*os.File, error) {
	return nil, errors.New("directories can be opened without following links on Unix only")
}
