package below

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/host"
)

// Keep is what a policy says of files that are written: those of the Look are denied, and each of
// the Lists must have every other one. A nil Keep says nothing.
type Keep struct {
	*Look
	Lists []gavel.Files
}

// Names returns the path by which the policy denies to write a file at an absolute, clean path: the
// path itself, the same with the links to its directory resolved, or the file behind it. The first
// two matter for a link, which can be removed and replaced.
func (k *Keep) Names(full string) (file string, denied bool) {
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

// Permits reports whether the allow lists have the file at an absolute path. What is behind a link
// counts, and a file that is unknown is on no list. Case always matters.
func (k *Keep) Permits(full string) bool {
	if k == nil || len(k.Lists) == 0 {
		return true
	}
	real, ok := k.Host.Resolve(full)
	for _, list := range k.Lists {
		if !ok || !list.Has(real, k.Home, k.Workspace, false) {
			return false
		}
	}
	return true
}

// Made reports what the lists say of a file that is made at a real path: whether one denies it, and
// whether each allow list has it. It looks nothing up, because it is asked about thousands of files.
func (k *Keep) Made(real string) (denied, listed bool) {
	if k == nil {
		return false, true
	}
	denied, listed = k.Denied != nil && k.Denies(real), true
	for _, list := range k.Lists {
		listed = listed && list.Has(real, k.Home, k.Workspace, false)
	}
	return denied, listed
}

// Through is as for a Look. Without a deny list there is nothing to find.
func (k *Keep) Through(root string, out Out, follows bool) Found {
	if k == nil || k.Denied == nil {
		return Found{}
	}
	return k.Look.Through(root, out, follows)
}

// Landing looks through everything below a directory for what would be denied if it were in the
// target instead. Files and Directories are the paths as they are.
func (k *Keep) Landing(root, target string) Found {
	if k == nil || k.Denied == nil {
		return Found{}
	}
	real, ok := k.Host.Resolve(root)
	if !ok {
		return Found{Unseen: true}
	}
	there := *k.Look
	there.found = nil
	there.Denied = moved{k.Denied, real, target}
	found := there.Through(real, Out{}, false)
	k.entries = there.entries
	for _, list := range [][]string{found.Files, found.Directories} {
		for i := range list {
			list[i] = root + strings.TrimPrefix(list[i], real)
		}
	}
	return found
}

// moved are files as they would be named if a directory were another one.
type moved struct {
	gavel.Files
	from, to string
}

// Has reports whether a file would be among them.
func (m moved) Has(full, home, workspace string, folds bool) bool {
	if rest, inside := strings.CutPrefix(full, m.from); inside {
		full = m.to + rest
	}
	return m.Files.Has(full, home, workspace, folds)
}

// May reports true: which directories the names would be in is not known.
func (m moved) May(string, bool) bool { return true }
