//go:build !unix

package host

import "os"

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
