package analyzer

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Host looks up programs on one machine. Implementations are safe for
// concurrent use; what cannot be looked up does not exist.
type Host interface {
	// Named searches a path for a name without a slash, as a shell does. The
	// first executable regular file wins. An entry that is empty or relative ends
	// the search without a result: a shell would look into the working directory
	// there, and might find something else than we do.
	Named(name string, searchPath []string) (Program, bool)
	// At returns the program at an absolute path, which may hold "." and "..".
	At(absolute string) (Program, bool)
}

// Program is an executable regular file. All its paths are absolute and clean.
type Program struct {
	Path string // where it was found
	Real string // the same with every symbolic link resolved
}

// Local returns the machine that this process runs on. Nothing is remembered
// between look-ups.
func Local() Host { return local{} }

type local struct{}

func (l local) Named(name string, searchPath []string) (Program, bool) {
	for _, dir := range searchPath {
		if !path.IsAbs(dir) {
			return Program{}, false
		}
		if program, ok := l.At(strings.TrimSuffix(dir, "/") + "/" + name); ok {
			return program, true
		}
	}
	return Program{}, false
}

// At refuses a path whose "..", taken away in the text, lead elsewhere than the
// kernel goes, as they do behind a symbolic link to a directory.
func (local) At(absolute string) (Program, bool) {
	clean, ok := filePath(absolute)
	if !ok {
		return Program{}, false
	}
	info, err := os.Stat(clean)
	if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return Program{}, false
	}
	real, err := filepath.EvalSymlinks(clean)
	if err != nil {
		return Program{}, false
	}
	if clean != absolute {
		if walked, err := filepath.EvalSymlinks(absolute); err != nil || walked != real {
			return Program{}, false
		}
	}
	return Program{Path: clean, Real: real}, true
}

// claimedHost is what a trusted gateway says about its machine: a name, or an
// absolute path, and the absolute path of the program behind it. What it does
// not list does not exist, and neither does a program at a path that is not
// absolute and clean. Nothing is looked up on this machine.
type claimedHost map[string]string

func (c claimedHost) Named(name string, _ []string) (Program, bool) {
	if strings.Contains(name, "/") {
		return Program{}, false
	}
	program := c[name]
	if path.Clean(program) != program {
		return Program{}, false
	}
	return c.At(program)
}

func (c claimedHost) At(absolute string) (Program, bool) {
	clean, ok := filePath(absolute)
	if !ok {
		return Program{}, false
	}
	real, listed := c[clean]
	if !listed {
		if !c.names(clean) {
			return Program{}, false
		}
		real = clean
	}
	if !path.IsAbs(real) || path.Clean(real) != real {
		return Program{}, false
	}
	return Program{Path: clean, Real: real}, true
}

// filePath cleans an absolute path that can be a file's: one that ends in a
// slash or in dots is a directory's.
func filePath(absolute string) (string, bool) {
	switch baseName(absolute) {
	case "", ".", "..":
		return "", false
	default:
		return path.Clean(absolute), path.IsAbs(absolute)
	}
}

// names reports whether a path is the program behind some name.
func (c claimedHost) names(absolute string) bool {
	for _, program := range c {
		if program == absolute {
			return true
		}
	}
	return false
}
