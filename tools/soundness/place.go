//go:build linux

package main

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"gavel/analyzer/host"
)

// rooted is a root as the analyzer sees it: its stubs and its links.
type rooted struct {
	dir, view string
	programs  map[string]bool // by path, from the top of the root
}

// Named finds a stub by name in the search path.
func (r rooted) Named(name string, searchPath []string) (host.Program, bool) {
	for _, dir := range searchPath {
		if found, ok := r.At(path.Join(dir, name)); ok && !strings.Contains(name, "/") {
			return found, true
		}
	}
	return host.Program{}, false
}

// Absent reports whether no directory contains the name.
func (r rooted) Absent(name string, searchPath []string) bool {
	_, found := r.Named(name, searchPath)
	return !found
}

// At finds the stub at a path.
func (r rooted) At(absolute string) (host.Program, bool) {
	clean := path.Clean(absolute)
	real, ok := r.Resolve(clean)
	if !ok || !r.programs[strings.TrimPrefix(real, r.view)] {
		return host.Program{}, false
	}
	found := host.Program{Path: clean, Real: real, Writable: []string{}}
	if dir, ok := r.Resolve(path.Dir(clean)); ok && path.Join(dir, path.Base(clean)) != real {
		found.Link, found.LinkWritable = path.Join(dir, path.Base(clean)), r.writable(dir)
	}
	return found, true
}

// writable describes what users other than root can redirect by replacing a link in a
// directory.
func (r rooted) writable(dir string) []string {
	if strings.HasPrefix(strings.TrimPrefix(dir, r.view)+"/", "/work/") {
		return []string{"directory"}
	}
	return []string{}
}

// Script finds no script: the agents of a root may run only programs.
func (r rooted) Script(string) (host.Script, bool) { return host.Script{}, false }

// Resolve follows the links of the root, all of which are relative.
func (r rooted) Resolve(absolute string) (string, bool) {
	inside, ok := strings.CutPrefix(path.Clean(absolute), r.view)
	if !ok || !path.IsAbs(absolute) {
		return "", false
	}
	name := filepath.Join(r.dir, inside)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		return r.view + "/" + strings.TrimPrefix(strings.TrimPrefix(real, r.dir), "/"), true
	}
	real, err := filepath.EvalSymlinks(filepath.Dir(name))
	if err != nil {
		return "", false
	}
	return path.Join(r.view+"/"+strings.TrimPrefix(real, r.dir), filepath.Base(name)), true
}

// Kind returns what a path of the root is.
func (r rooted) Kind(absolute string) host.Kind {
	real, ok := r.Resolve(absolute)
	if !ok {
		return host.KindMissing
	}
	switch info, err := os.Lstat(filepath.Join(r.dir, strings.TrimPrefix(real, r.view))); {
	case err != nil:
		return host.KindMissing
	case info.IsDir():
		return host.KindDirectory
	default:
		return host.KindFile
	}
}

// File returns nothing: commands are judged without the sizes of files.
func (r rooted) File(string) (size int64, names int, ok bool) { return 0, 0, false }

// List returns nothing: the interpreters of a root have no modules.
func (r rooted) List(string) ([]string, bool) { return nil, false }

// Entries returns the names in a directory of the root.
func (r rooted) Entries(dir string, limit int) ([]host.Entry, bool) {
	inside, ok := strings.CutPrefix(dir, r.view)
	if !ok {
		return nil, false
	}
	found, err := os.ReadDir(filepath.Join(r.dir, inside))
	if err != nil {
		return nil, false
	}
	list := make([]host.Entry, 0, len(found))
	for _, one := range found[:min(limit, len(found))] {
		link := one.Type()&os.ModeSymlink != 0
		kind := host.KindFile
		if one.IsDir() {
			kind = host.KindDirectory
		} else if link {
			kind = host.KindUnknown
		}
		list = append(list, host.Entry{Name: one.Name(), Kind: kind, Link: link})
	}
	return list, true
}

// Text returns nothing: a root has no files that say what others mean.
func (r rooted) Text(string, int) (string, bool) { return "", false }

// Program returns nothing: all stubs of a root are the same file.
func (r rooted) Program(string) (sha256, interpreter string) { return "", "" }

// View implements [host.Host]. A root remembers nothing.
func (r rooted) View() host.Host { return r }
