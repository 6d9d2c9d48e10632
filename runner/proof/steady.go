package proof

import (
	"os"
	"path/filepath"
	"strings"
)

// steady reports whether only root can change or replace a file: root owns it and each directory
// above it, and nobody else may write there. For root, that would be everything; there it is what
// the system's directories hold. Access control lists are not examined.
func steady(path string, user int) bool {
	if user == 0 && !inSystem(path) {
		return false
	}
	path = filepath.Clean(path)
	for first := true; ; first = false {
		info, err := os.Lstat(path)
		if err != nil {
			return false
		}
		sticky := !first && info.Mode()&os.ModeSticky != 0
		if !ownedByRoot(info) || info.Mode().Perm()&0o022 != 0 && !sticky || info.Mode()&os.ModeSymlink != 0 {
			return false
		}
		if path == "/" {
			return true
		}
		path = filepath.Dir(path)
	}
}

// SteadyPath is the same of a path, with every link on the way.
func SteadyPath(path string) bool {
	for range 40 {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return false
		}
		path = filepath.Join(dir, filepath.Base(path))
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return false
		case info.Mode()&os.ModeSymlink == 0:
			return steady(path, os.Geteuid())
		case !steadyDirectory(dir, os.Geteuid()):
			return false
		}
		target, err := os.Readlink(path)
		if err != nil {
			return false
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return false
}

// steadyDirectory reports whether only root can change what a directory lists.
func steadyDirectory(dir string, user int) bool {
	info, err := os.Lstat(dir)
	return err == nil && info.Mode().Perm()&0o022 == 0 && steady(dir+"/", user)
}

// inSystem reports whether a path is in a directory that belongs to the operating system.
func inSystem(path string) bool {
	for _, dir := range []string{"/usr/", "/bin/", "/sbin/", "/lib/", "/lib64/", "/etc/", "/nix/store/"} {
		if strings.HasPrefix(path, dir) {
			return true
		}
	}
	return false
}
