package lint

import "golang.org/x/sys/unix"

// fixed reports whether the file system that a path is in cannot be written to here, as the
// volumes of a container that hold its configuration.
func fixed(path string) bool {
	var found unix.Statfs_t
	return unix.Statfs(path, &found) == nil && found.Flags&unix.ST_RDONLY != 0
}
