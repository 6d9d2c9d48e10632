package host

import (
	"errors"
	"io/fs"
	"path"
)

// unreadable stands for the real path of a directory that this process cannot read. The user who runs
// the command may be able to read it.
const unreadable = "?"

// Named implements [Host].
func (v *view) Named(name string, searchPath []string) (Program, bool) {
	for _, dir := range searchPath {
		program, err := v.search(dir, name)
		switch {
		case err == nil:
			program.Path = path.Join(dir, name)
			return program, true
		case errors.Is(err, fs.ErrPermission):
			return Program{}, false
		}
	}
	return Program{}, false
}

// Absent implements [Host].
func (v *view) Absent(name string, searchPath []string) bool {
	for _, dir := range searchPath {
		if _, err := v.search(dir, name); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(searchPath) > 0 // without a search path, a shell uses a default
}

// search looks for a program in one directory of a search path. The error is fs.ErrNotExist if it
// is not there, fs.ErrPermission if that is uncertain, and another error for a file that is not a
// program.
func (v *view) search(dir, name string) (Program, error) {
	if !path.IsAbs(dir) {
		return Program{}, fs.ErrPermission
	}
	switch real := v.realDirectory(dir); real {
	case "":
		return Program{}, fs.ErrNotExist
	case unreadable:
		return Program{}, fs.ErrPermission
	default:
		return v.searchReal(real, name)
	}
}

// searchReal looks for a program in a directory that realDirectory returned.
func (v *view) searchReal(dir, name string) (Program, error) {
	absolute, ok := filePath(Join(dir, name))
	before, seen := v.directories[dir]
	switch {
	case !ok || !seen:
		return Program{}, fs.ErrInvalid
	case v.knownMissing(dir, before.stamp, name):
		return Program{}, fs.ErrNotExist
	}
	real, found, err := v.walk(absolute)
	if errors.Is(err, fs.ErrNotExist) && real == absolute {
		v.recordMissing(dir, before.stamp, name)
	}
	if err != nil {
		return Program{}, err
	}
	program, ok := v.program(absolute, real, found)
	if !ok {
		return Program{}, fs.ErrInvalid
	}
	return program, nil
}

// realDirectory returns the real path of a directory, "" if it does not exist, or unreadable.
func (v *view) realDirectory(dir string) string {
	real, known := v.reals[dir]
	if !known {
		walked, s, err := v.walk(dir)
		switch {
		case err == nil && s.mode.IsDir():
			real = walked
		case errors.Is(err, fs.ErrPermission):
			real = unreadable
		}
		v.reals[dir] = real
	}
	return real
}
