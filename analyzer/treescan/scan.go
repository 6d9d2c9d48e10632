// Package treescan searches directories for files that a policy denies to read or write. It takes a
// directory and what the program that reads it would leave out, and returns the denied files. The
// search is bounded, and the result says whether it is complete. The package judges nothing.
//
// scan.go has the search ([Scanner]), exclusions.go what a program leaves out ([Exclusions]),
// ignore_rules.go reads .gitignore and similar files, repository.go has what git takes in ([Repository]), and write_lists.go compares paths with the
// policy's lists of files to write ([WriteLists]).
package treescan

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// The limits on the searches of one call.
const (
	MaxEntries = 20_000 // entries of all directories, unless a Scanner has its own limit
	maxDepth   = 64     // depth of directories
	maxFound   = 16     // files with different names that are reported for one directory
)

// Scanner searches directories for denied files. Its limits and its cache are those of one call. A nil
// Scanner denies nothing. It must not be used concurrently.
type Scanner struct {
	Denied          gavel.Files
	Home, Workspace string // absolute directories, or ""
	Folds           bool   // names are compared without case
	Host            *host.Limited
	Limit           int // entries of all directories that are read; 0 means MaxEntries

	entries int // read so far
	results map[string]Result
}

// Result is the result of searching one directory.
type Result struct {
	// Files and Directories are the sorted real paths of denied files and directories, one for each base
	// name, and at most 16 in all.
	Files, Directories []string
	// LimitReached is true if the search ended at a limit, and Incomplete if something could not be read.
	LimitReached, Incomplete bool
}

// Denies reports whether the policy denies to read the file at an absolute path.
func (l *Scanner) Denies(full string) bool {
	return l != nil && full != "" && l.Denied.Has(path.Clean(full), l.Home, l.Workspace, l.Folds)
}

// Scan searches a directory recursively, except for what exclude leaves out. Links in it are not
// followed; if the program follows them (follows), the result is incomplete.
func (l *Scanner) Scan(root string, out Exclusions, follows bool) Result {
	question := root + "\x00" + out.key()
	if known, ok := l.results[question]; ok {
		return known
	}
	w := walker{Scanner: l, exclude: out, follows: follows, names: map[string]bool{}}
	if real, ok := l.Host.Resolve(root); ok {
		w.scanRoot(real)
	} else {
		w.Incomplete = true
	}
	slices.Sort(w.Files)
	slices.Sort(w.Directories)
	if l.results == nil {
		l.results = map[string]Result{}
	}
	l.results[question] = w.Result
	return w.Result
}

// scanRoot searches the starting directory, given by its real path.
func (w *walker) scanRoot(dir string) {
	if w.exclude.Repository == nil {
		w.scanDirectory(dir, 0, w.rulesAbove(dir))
	} else if rules, ok := w.gitRulesAbove(dir); ok {
		w.scanDirectory(dir, 0, rules)
	}
}

// walker is one recursive search.
type walker struct {
	*Scanner
	Result
	exclude Exclusions
	follows bool
	names   map[string]bool // of the files that were found
	tracked map[string]bool // files of the repository, relative to its top; nil if not read yet
}

// add records a file, unless one with the same base name is recorded already.
func (w *walker) add(list *[]string, file string) {
	if name := path.Base(file); !w.names[name] && len(w.names) < maxFound {
		w.names[name] = true
		*list = append(*list, file)
	}
}

// done reports whether the search has reached a limit.
func (w *walker) done() bool { return w.LimitReached || len(w.names) == maxFound || w.Host.TimedOut() }

// scanDirectory searches a directory, given by its real path, to which these ignore rules apply.
func (w *walker) scanDirectory(dir string, depth int, ignored ignoreRules) {
	if depth == maxDepth {
		w.LimitReached = true
	}
	if w.done() {
		return
	}
	most := cmp.Or(w.Limit, MaxEntries)
	list, ok := w.Host.Entries(dir, most-w.entries)
	if !ok {
		w.Incomplete = true
		return
	}
	if w.entries += len(list); w.entries >= most {
		w.LimitReached = true
		return
	}
	slices.SortFunc(list, func(a, b host.Entry) int { return strings.Compare(a.Name, b.Name) })
	if w.exclude.Ignored {
		ignored = ignored.add(w.rulesIn(dir, list))
	}
	for _, entry := range list {
		if w.done() {
			return
		}
		w.scanEntry(dir, entry, depth, ignored)
	}
}

// scanEntry examines one entry of a directory.
func (w *walker) scanEntry(dir string, entry host.Entry, depth int, ignored ignoreRules) {
	file := host.Join(dir, entry.Name)
	switch {
	case w.exclude.leavesOutHidden(file, entry) && !ignored.mayKeep(file, entry), ignored.ignores(file, entry) && !mayMatchAny(w.exclude.Exceptions, file, entry):
	case entry.Kind == host.KindDirectory:
		switch {
		case w.exclude.leavesOutDirectory(entry.Name), w.exclude.Repository != nil && entry.Name == w.exclude.Repository.Own:
		case !w.exclude.InsideDenied && w.denied(file, entry.Name):
			w.add(&w.Directories, file)
		default:
			w.scanDirectory(file, depth+1, ignored.inSubdirectory(entry.Name))
		}
	case entry.Link:
		w.Incomplete = w.Incomplete || w.follows
	case !w.exclude.leavesOutFile(entry.Name) && w.denied(file, entry.Name) && w.takesIn(file):
		w.add(&w.Files, file)
	}
}

// denied reports whether a file is denied. name is its base name.
func (w *walker) denied(file, name string) bool {
	return (w.exclude.InsideDenied || w.Denied.May(name, w.Folds)) && w.Denies(file)
}
