package host

import (
	"errors"
	"io/fs"
	"path"
	"strings"
)

// Resolve follows a path to where a file is or would be created. Missing names at its end are
// kept as written. A dangling link leads nowhere. A path that leads elsewhere in each process is
// returned as far as it is the same for all of them.
func (v *view) Resolve(absolute string) (string, bool) {
	if !path.IsAbs(absolute) {
		return "", false
	}
	real, _, err := v.walk(absolute)
	switch {
	case errors.Is(err, errPerProcess):
		return real, false
	case PerProcess(absolute):
		return absolute, false
	case err == nil:
		return real, !PerProcess(real)
	}
	dir, name := path.Split(strings.TrimRight(absolute, "/"))
	if !errors.Is(err, fs.ErrNotExist) || name == "" || name == "." || name == ".." {
		return "", false
	}
	parent, ok := v.Resolve(dir)
	if !ok {
		return "", false
	}
	if _, err := v.lstat(Join(parent, name)); !errors.Is(err, fs.ErrNotExist) {
		return real, false // the link exists, but its target does not
	}
	return Join(parent, name), true
}

// Resolve makes a single lookup. An analysis uses a view.
func (l *local) Resolve(absolute string) (string, bool) {
	return l.View().Resolve(absolute)
}

// Kind implements [Host].
func (v *view) Kind(absolute string) Kind {
	if !path.IsAbs(absolute) {
		return KindUnknown
	}
	switch _, found, err := v.walk(absolute); {
	case errors.Is(err, fs.ErrNotExist):
		return KindMissing
	case err != nil:
		return KindUnknown
	case found.mode.IsDir():
		return KindDirectory
	default:
		return KindFile
	}
}

// File implements [Host].
func (v *view) File(real string) (size int64, names int, ok bool) {
	found, err := v.lstat(real)
	if err != nil || !found.mode.IsRegular() {
		return 0, 0, false
	}
	return found.size, found.names, true
}

// File makes a single lookup. An analysis uses a view.
func (l *local) File(real string) (size int64, names int, ok bool) { return l.View().File(real) }

// Kind makes a single lookup. An analysis uses a view.
func (l *local) Kind(absolute string) Kind { return l.View().Kind(absolute) }
