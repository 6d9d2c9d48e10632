package unwrap

import (
	"path"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

// Programs such as git look for a repository in their working directory, and follow its
// configuration. A directory below the workspace may be a repository that was checked in as plain
// files. Running there has the same risk as git -C.

// hazardDirectory is the name of this hazard.
const hazardDirectory = "directory"

// repository records a program that would treat its working directory as a repository which is
// not the workspace's own.
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

// vouched reports whether the repository that a program would find is the workspace's own, or one
// that contains the workspace.
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
			return true // checked-in files cannot have git's own name
		}
		if own || r.Bare != "" && u.Host.Kind(host.Join(real, r.Bare)) != host.KindMissing {
			return false
		}
	}
	return true
}
