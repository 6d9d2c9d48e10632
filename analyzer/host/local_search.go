package host

import (
	"errors"
	"io/fs"
	"path"
)

// hidden stands for the real path of a directory that this process may not look into.
// Others may, and so may what runs the command.
const hidden = "?"

// Named looks for a name directory by directory.
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

// Absent looks into every directory.
func (v *view) Absent(name string, searchPath []string) bool {
	for _, dir := range searchPath {
		if _, err := v.search(dir, name); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return len(searchPath) > 0 // without a path, a shell has one of its own
}

// search looks for a program in a directory of a search path. The error is
// fs.ErrNotExist where it is not there, fs.ErrPermission where that cannot be said, and
// another one for what is not a program.
func (v *view) search(dir, name string) (Program, error) {
	if !path.IsAbs(dir) {
		return Program{}, fs.ErrPermission
	}
	switch real := v.realDirectory(dir); real {
	case "":
		return Program{}, fs.ErrNotExist
	case hidden:
		return Program{}, fs.ErrPermission
	default:
		return v.in(real, name)
	}
}

// in looks for a program in a directory, by its real path.
func (v *view) in(dir, name string) (Program, error) {
	absolute, ok := filePath(Join(dir, name))
	before, seen := v.directories[dir]
	switch {
	case !ok || !seen:
		return Program{}, fs.ErrInvalid
	case v.lacks(dir, before.stamp, name):
		return Program{}, fs.ErrNotExist
	}
	real, found, err := v.walk(absolute)
	if errors.Is(err, fs.ErrNotExist) && real == absolute {
		v.miss(dir, before.stamp, name)
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

// realDirectory is the real path of a directory, "" when there is none, or hidden.
func (v *view) realDirectory(dir string) string {
	real, known := v.reals[dir]
	if !known {
		walked, s, err := v.walk(dir)
		switch {
		case err == nil && s.mode.IsDir():
			real = walked
		case errors.Is(err, fs.ErrPermission):
			real = hidden
		}
		v.reals[dir] = real
	}
	return real
}
