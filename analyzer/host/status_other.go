//go:build !unix

package host

import "os"

// lstat looks at a file, not through a link. What there is no word for here, such as
// inodes and owners, stays zero.
func lstat(name string) (status, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return status{}, err
	}
	changed := info.ModTime().UnixNano()
	return status{stamp: stamp{modified: changed, changed: changed}, mode: info.Mode(), size: info.Size()}, nil
}
