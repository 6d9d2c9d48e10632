package unwrap

import (
	"path"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

// Programs such as git look for a repository in the directory that they run in, and do
// what its configuration says. A directory below the workspace may be one that was
// checked in as plain files; to run there is what git -C does.

// hazardDirectory is the name of that hazard.
const hazardDirectory = "directory"

// repository notes a program that would take the directory that it runs in for a
// repository which the workspace does not vouch for.
func (u *unfolder) repository(c call, s *gavel.Segment) {
	for _, name := range s.Executable.Programs {
		r, ok := u.Steady.repositories[name]
		if !ok {
			continue
		}
		if u.dir != "" && !u.vouched(r, c.dir) {
			s.Hazards = linked(s.Hazards, gavel.Hazard{Kind: "loads", Option: hazardDirectory, Argument: c.dir, Index: 0})
		}
		return
	}
}

// vouched reports whether the repository in which a program would find itself is the
// workspace's own, or one around it.
func (u *unfolder) vouched(r *programs.Repository, dir string) bool {
	root := u.Facts.Workspace
	real, ok := u.Host.Resolve(dir)
	switch {
	case root == "":
		return dir != "" && path.Clean(dir) == u.Facts.Cwd // where the gateway says that it begins
	case !ok || !host.Within(real, root):
		return false
	case u.Facts.Claimed:
		return real == root
	}
	for ; host.Within(real, root); real = path.Dir(real) {
		own := u.Host.Kind(host.Join(real, r.Own)) != host.KindMissing
		if own && (r.Bare != "" || real == root) {
			return true // nothing that is checked in goes by git's own name
		}
		if own || r.Bare != "" && u.Host.Kind(host.Join(real, r.Bare)) != host.KindMissing {
			return false
		}
	}
	return true
}
