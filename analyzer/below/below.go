// Package below looks through directories for the files that a policy denies to read. It looks as
// far as a bound, and says where it did not. It judges nothing.
package below

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// The bounds of the looks for one call.
const (
	MaxEntries = 20_000 // names in all directories, unless a Look says otherwise
	maxDepth   = 64     // directories inside one another
	maxFound   = 16     // files with different names that are reported for one directory
)

// Look is what is looked for in one call. A nil Look looks for nothing. It must not be used
// concurrently.
type Look struct {
	Denied          gavel.Files
	Home, Workspace string // absolute directories, or ""
	Folds           bool   // names are compared without regard to case
	Host            *host.Limited
	Most            int // names in all directories that are looked at; MaxEntries if it is 0

	entries int // that were looked at
	found   map[string]Found
}

// Found is what was found below one directory.
type Found struct {
	// Files and Directories are the real paths of what is denied, sorted, one for each name. There
	// may be more if there are as many as are reported.
	Files, Directories []string
	// Bound is true if there was more to look at than the bound permits, and Unseen if something
	// could not be looked at.
	Bound, Unseen bool
}

// Denies reports whether the policy denies to read the file at an absolute path.
func (l *Look) Denies(full string) bool {
	return l != nil && full != "" && l.Denied.Has(path.Clean(full), l.Home, l.Workspace, l.Folds)
}

// Through looks through everything below a directory that is not left out. Links below it are not
// followed; with follows, they cannot be looked at.
func (l *Look) Through(root string, out Out, follows bool) Found {
	question := root + "\x00" + out.key()
	if known, ok := l.found[question]; ok {
		return known
	}
	w := walker{Look: l, out: out, follows: follows, names: map[string]bool{}}
	if real, ok := l.Host.Resolve(root); ok {
		w.directory(real, 0, w.above(real))
	} else {
		w.Unseen = true
	}
	slices.Sort(w.Files)
	slices.Sort(w.Directories)
	if l.found == nil {
		l.found = map[string]Found{}
	}
	l.found[question] = w.Found
	return w.Found
}

// walker is one look through a directory.
type walker struct {
	*Look
	Found
	out     Out
	follows bool
	names   map[string]bool // of the files that were found
}

// add reports a file, unless one of its name is reported already.
func (w *walker) add(list *[]string, file string) {
	if name := path.Base(file); !w.names[name] && len(w.names) < maxFound {
		w.names[name] = true
		*list = append(*list, file)
	}
}

// full reports that there is nothing more to find.
func (w *walker) full() bool { return w.Bound || len(w.names) == maxFound || w.Host.TimedOut() }

func (w *walker) directory(dir string, depth int, ignored ignores) {
	if depth == maxDepth {
		w.Bound = true
	}
	if w.full() {
		return
	}
	most := cmp.Or(w.Most, MaxEntries)
	list, ok := w.Host.Entries(dir, most-w.entries)
	if !ok {
		w.Unseen = true
		return
	}
	if w.entries += len(list); w.entries >= most {
		w.Bound = true
		return
	}
	slices.SortFunc(list, func(a, b host.Entry) int { return strings.Compare(a.Name, b.Name) })
	if w.out.Ignored {
		ignored = ignored.with(w.rulesIn(dir, list))
	}
	for _, one := range list {
		if w.full() {
			return
		}
		w.entry(dir, one, depth, ignored)
	}
}

// entry looks at one name of a directory.
func (w *walker) entry(dir string, one host.Entry, depth int, ignored ignores) {
	file := host.Join(dir, one.Name)
	switch {
	case w.out.hidden(file, one) && !ignored.keeps(file, one), ignored.has(file, one) && !mayBeOf(w.out.Kept, file, one):
	case one.Kind == host.KindDirectory:
		switch {
		case w.out.directory(one.Name):
		case !w.out.Inside && w.denied(file, one.Name):
			w.add(&w.Directories, file)
		default:
			w.directory(file, depth+1, ignored.inside(one.Name))
		}
	case one.Link:
		w.Unseen = w.Unseen || w.follows
	case !w.out.file(one.Name) && w.denied(file, one.Name):
		w.add(&w.Files, file)
	}
}

// denied reports whether a file is denied.
func (w *walker) denied(file, name string) bool {
	return (w.out.Inside || w.Denied.May(name, w.Folds)) && w.Denies(file)
}
