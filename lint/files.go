package lint

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files looks at the files of this machine that a configuration names.
type Files struct {
	Home string // the directory that ~ means, absolute; "" if it is unknown
}

// LinkTarget returns the real path of a pattern that names a single file and is a link or is below
// one, and "" for every other pattern.
func (f Files) LinkTarget(pattern string) string {
	pattern = f.full(pattern)
	if !filepath.IsAbs(pattern) || strings.ContainsAny(pattern, "*?") {
		return ""
	}
	if _, err := os.Lstat(pattern); err != nil {
		return ""
	}
	real, err := filepath.EvalSymlinks(pattern)
	if err != nil || real == filepath.Clean(pattern) {
		return ""
	}
	return real
}

// absent reports whether a pattern names a single file that does not exist here.
func (f Files) absent(pattern string) bool {
	pattern = f.full(pattern)
	if !filepath.IsAbs(pattern) || strings.ContainsAny(pattern, "*?") {
		return false
	}
	_, err := os.Stat(pattern)
	return os.IsNotExist(err)
}

const everybody = "everybody"

// replaceable explains why other users can replace the files that a pattern names; "" if they cannot.
// It checks the directory before the first wildcard and its parents, as far as they exist on this
// machine.
func (f Files) replaceable(pattern string) string {
	literal := f.full(pattern)
	if i := strings.IndexAny(literal, "*?"); i >= 0 {
		literal = literal[:i]
	}
	if !filepath.IsAbs(literal) {
		return ""
	}
	dir := filepath.Clean(literal[:strings.LastIndexByte(literal, '/')+1])
	for _, shared := range []string{"/tmp", "/var/tmp", "/dev/shm"} {
		if dir == shared || strings.HasPrefix(dir, shared+"/") {
			return everybody + " can write below " + shared
		}
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		if err != nil {
			continue
		}
		switch mode := info.Mode(); {
		case mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0:
			return fmt.Sprintf("%s can write to %s", everybody, dir)
		case mode.Perm()&0o020 != 0:
			return fmt.Sprintf("a group can write to %s", dir)
		}
	}
	return ""
}

// full returns a pattern with ~/ replaced by the home directory, if that is known.
func (f Files) full(pattern string) string {
	if strings.HasPrefix(pattern, "~/") && filepath.IsAbs(f.Home) {
		return f.Home + pattern[1:]
	}
	return pattern
}
