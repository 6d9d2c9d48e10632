package private

import (
	"io/fs"
	"os"
	"path/filepath"
)

// CheckSocket returns why another user may be listening at path, or replace who does: the socket
// must belong to this user or to root, in a place that satisfies CheckPlace. Root may also use
// the socket of a service, if service is true: that of another user, in a directory where only
// its owner can create one.
func CheckSocket(path string, service bool) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0:
		return &Error{path, "it is not a socket", "name the socket of gavel serve"}
	case Owned(info) || ownedByRoot(info):
		return CheckPlace(filepath.Dir(path))
	case !service || os.Geteuid() != 0:
		return &Error{path, "it belongs to another user, who would decide", "name the socket of a gavel serve of this user"}
	}
	return checkService(filepath.Dir(path))
}

// checkService returns why somebody else than the owners of a directory, and of those above it,
// could put a socket there.
func checkService(dir string) error {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	for {
		info, err := os.Stat(real)
		if err != nil {
			return err
		}
		if info.Mode().Perm()&0o022 != 0 {
			return &Error{real, "others can create a socket there (" + info.Mode().String() + ")", "use another directory"}
		}
		above := filepath.Dir(real)
		if above == real {
			return nil
		}
		real = above
	}
}
