package pathglob

import (
	"slices"
	"strings"
)

// Files are the files that patterns name, as rego/gavel/resources/patterns reads them: *, ** and
// ? as in [Index], ~/ is the home directory, ./ the workspace, and a pattern for everything in a
// directory also names the directory. They may be more than the rules name, and never fewer. A
// nil Files names nothing. It never changes and is safe for concurrent use.
type Files struct {
	rooted    *Index // of patterns that begin with / or ~/
	here      *Index // of those that begin with ./, with ~/ in its place
	tops      map[string]bool
	names     map[string]bool
	shapes    [][2]string // what names begin and end with
	lowercase *Files      // the same patterns in lower case
}

// NewFiles compiles patterns.
func NewFiles(patterns []string) *Files {
	f := newFiles(patterns)
	lowered := make([]string, len(patterns))
	for i, pattern := range patterns {
		lowered[i] = strings.ToLower(pattern)
	}
	f.lowercase = newFiles(lowered)
	return f
}

func newFiles(patterns []string) *Files {
	f := &Files{tops: map[string]bool{}, names: map[string]bool{}}
	var rooted, here []string
	for _, pattern := range patterns {
		all := []string{pattern}
		if directory, whole := strings.CutSuffix(pattern, "/**"); whole {
			all = append(all, directory)
		}
		for _, path := range all {
			if last := path[strings.LastIndexByte(path, '/')+1:]; last != "**" || len(all) == 1 {
				f.shape(last)
			}
			switch {
			case path == "." || path == "~" || path == "" || path == "**":
				f.tops[path] = true
			case strings.HasPrefix(path, "./"):
				here = append(here, "~"+path[1:])
			default:
				rooted = append(rooted, path)
			}
		}
	}
	f.rooted, f.here = New(rooted), New(here)
	return f
}

// shape records what a pattern says about the last name of a path.
func (f *Files) shape(last string) {
	first := strings.IndexAny(last, "*?")
	if first < 0 {
		f.names[last] = true
		return
	}
	f.shapes = append(f.shapes, [2]string{last[:first], last[strings.LastIndexAny(last, "*?")+1:]})
}

// May reports whether a file of this name may be among them, unless a directory that it is in is
// itself. folds says that names are compared without regard to case.
func (f *Files) May(name string, folds bool) bool {
	if f == nil {
		return false
	}
	if folds {
		f, name = f.lowercase, strings.ToLower(name)
	}
	return f.names[name] || slices.ContainsFunc(f.shapes, func(one [2]string) bool {
		return strings.HasPrefix(name, one[0]) && strings.HasSuffix(name, one[1])
	})
}

// Has reports whether the file at an absolute, clean path is among them. home and workspace are
// absolute directories, or "": then any directory may be the one.
func (f *Files) Has(path, home, workspace string, folds bool) bool {
	if f == nil {
		return false
	}
	if folds {
		f, path, home, workspace = f.lowercase, strings.ToLower(path), strings.ToLower(home), strings.ToLower(workspace)
	}
	if f.tops[""] || f.tops["**"] || f.tops["~"] && path == home || f.tops["."] && path == workspace {
		return true
	}
	if !strings.HasPrefix(home, "/") && f.rooted.Anywhere(path) || !strings.HasPrefix(workspace, "/") && f.here.Anywhere(path) {
		return true
	}
	if _, found := f.rooted.First(path, home); found {
		return true
	}
	_, found := f.here.First(path, workspace)
	return found
}
