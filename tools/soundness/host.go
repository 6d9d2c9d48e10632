//go:build linux

package main

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"gavel/analyzer/host"
)

// rootHost implements host.Host for a root: it finds the stubs and links.
type rootHost struct {
	dir, view string
	programs  map[string]bool // by path, from the top of the root
}

// Named implements [host.Host].
func (r rootHost) Named(name string, searchPath []string) (host.Program, bool) {
	for _, dir := range searchPath {
		if found, ok := r.At(path.Join(dir, name)); ok && !strings.Contains(name, "/") {
			return found, true
		}
	}
	return host.Program{}, false
}

// Absent implements [host.Host].
func (r rootHost) Absent(name string, searchPath []string) bool {
	_, found := r.Named(name, searchPath)
	return !found
}

// At implements [host.Host].
func (r rootHost) At(absolute string) (host.Program, bool) {
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

// writable returns what makes a link in a directory replaceable for users other than root.
func (r rootHost) writable(dir string) []string {
	if strings.HasPrefix(strings.TrimPrefix(dir, r.view)+"/", "/work/") {
		return []string{"directory"}
	}
	return []string{}
}

// Script implements [host.Host]. A root has no scripts.
func (r rootHost) Script(string) (host.Script, bool) { return host.Script{}, false }

// Resolve implements [host.Host]. All links of a root are relative.
func (r rootHost) Resolve(absolute string) (string, bool) {
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

// Kind implements [host.Host].
func (r rootHost) Kind(absolute string) host.Kind {
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

// File implements [host.Host]. It knows no sizes.
func (r rootHost) File(string) (size int64, names int, ok bool) { return 0, 0, false }

// List implements [host.Host]. The interpreters of a root have no modules.
func (r rootHost) List(string) ([]string, bool) { return nil, false }

// Entries implements [host.Host].
func (r rootHost) Entries(dir string, limit int) ([]host.Entry, bool) {
	inside, ok := strings.CutPrefix(dir, r.view)
	if !ok {
		return nil, false
	}
	found, err := os.ReadDir(filepath.Join(r.dir, inside))
	if err != nil {
		return nil, false
	}
	list := make([]host.Entry, 0, len(found))
	for _, entry := range found[:min(limit, len(found))] {
		link := entry.Type()&os.ModeSymlink != 0
		kind := host.KindFile
		if entry.IsDir() {
			kind = host.KindDirectory
		} else if link {
			kind = host.KindUnknown
		}
		list = append(list, host.Entry{Name: entry.Name(), Kind: kind, Link: link})
	}
	return list, true
}

// Text implements [host.Host]. A root has no files that affect the meaning of others.
func (r rootHost) Text(string, int) (string, bool) { return "", false }

// Program implements [host.Host]. It returns nothing, because all stubs are the same file.
func (r rootHost) Program(string) (sha256, interpreter string) { return "", "" }

// View implements [host.Host]. A rootHost caches nothing.
func (r rootHost) View() host.Host { return r }
