package treescan

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// WriteLists are a policy's lists of files to write: those that the Scanner denies must not be written, and
// each of the lists Allowed must have every other one. Nil lists permit everything.
type WriteLists struct {
	*Scanner
	Allowed []gavel.Files
}

// DeniedPath returns the denied path that writing to an absolute, clean path would affect: the path itself,
// the path with the links in its directory resolved, or the file behind it. The first two matter for a
// link, which can be removed and replaced.
func (k *WriteLists) DeniedPath(full string) (file string, denied bool) {
	if k == nil || k.Denied == nil {
		return "", false
	}
	if k.Denies(full) {
		return full, true
	}
	if dir, ok := k.Host.Resolve(path.Dir(full)); ok {
		if entry := host.Join(dir, path.Base(full)); entry != full && k.Denies(entry) {
			return entry, true
		}
	}
	if real, ok := k.Host.Resolve(full); ok && k.Denies(real) {
		return real, true
	}
	return "", false
}

// Permits reports whether every allow list has the file at an absolute path. Links are followed, and a
// path that cannot be resolved is on no list. Case always matters.
func (k *WriteLists) Permits(full string) bool {
	if k == nil || len(k.Allowed) == 0 {
		return true
	}
	real, ok := k.Host.Resolve(full)
	for _, list := range k.Allowed {
		if !ok || !list.Has(real, k.Home, k.Workspace, false) {
			return false
		}
	}
	return true
}

// CheckCreated reports whether a file that is created at a real path is denied, and whether every allow
// list has it. It makes no lookups, because it is called for thousands of files.
func (k *WriteLists) CheckCreated(real string) (denied, listed bool) {
	if k == nil {
		return false, true
	}
	denied, listed = k.Denied != nil && k.Denies(real), true
	for _, list := range k.Allowed {
		listed = listed && list.Has(real, k.Home, k.Workspace, false)
	}
	return denied, listed
}

// Scan is [Scanner.Scan]. Without a deny list, it finds nothing.
func (k *WriteLists) Scan(root string, out Exclusions, follows bool) Result {
	if k == nil || k.Denied == nil {
		return Result{}
	}
	return k.Scanner.Scan(root, out, follows)
}

// ScanMoved searches a directory for files that would be denied if the directory were moved to target. The
// paths in the result are those before the move.
func (k *WriteLists) ScanMoved(root, target string) Result {
	if k == nil || k.Denied == nil {
		return Result{}
	}
	real, ok := k.Host.Resolve(root)
	if !ok {
		return Result{Incomplete: true}
	}
	found := k.scanMoved(real, target)
	for _, list := range [][]string{found.Files, found.Directories} {
		for i := range list {
			list[i] = root + strings.TrimPrefix(list[i], real)
		}
	}
	return found
}

// HasDenied reports whether a directory, given by its real path, may have a file that is denied there, or that
// would be denied if the directory were moved to target.
func (l *Scanner) HasDenied(dir, target string) bool {
	for _, found := range []Result{l.Scan(dir, Exclusions{InsideDenied: true}, false), l.scanMoved(dir, target)} {
		if found.LimitReached || found.Incomplete || len(found.Files)+len(found.Directories) > 0 {
			return true
		}
	}
	return false
}

// scanMoved searches a directory, given by its real path, for files that would be denied if it were moved to target.
func (l *Scanner) scanMoved(dir, target string) Result {
	scanner := *l
	scanner.results = nil
	scanner.Denied = moved{l.Denied, dir, target}
	found := scanner.Scan(dir, Exclusions{}, false)
	l.entries = scanner.entries
	return found
}

// moved are the files of a list, by the paths that they have before a directory is moved.
type moved struct {
	gavel.Files
	from, to string
}

// Has reports whether a file would be on the list after the move.
func (m moved) Has(full, home, workspace string, folds bool) bool {
	if rest, inside := strings.CutPrefix(full, m.from); inside {
		full = m.to + rest
	}
	return m.Files.Has(full, home, workspace, folds)
}

// May reports true for every name, because the list may have any file of the target.
func (m moved) May(string, bool) bool { return true }
