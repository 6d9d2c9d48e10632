package lint

import "golang.org/x/sys/unix"

// readOnly reports whether a path is in a file system that is mounted read-only, as the configuration
// of a container often is.
func readOnly(path string) bool {
	var found unix.Statfs_t
	return unix.Statfs(path, &found) == nil && found.Flags&unix.ST_RDONLY != 0
}
