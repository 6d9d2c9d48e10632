package unwrap

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
	"gavel/analyzer/tracked"
)

// Programs such as git look for a repository in their working directory, and follow its
// configuration. A directory below the workspace may be a repository that was checked in as plain
// files. Running there has the same risk as git -C.

// hazardDirectory is the name of this hazard.
const hazardDirectory = "directory"

// repository records a program that would treat its working directory as a repository which is
// not the workspace's own.
func (u *unwrapper) repository(c call, s *gavel.Segment) {
	for _, name := range s.Executable.Programs {
		r, ok := u.PathEffects.repositories[name]
		if !ok {
			continue
		}
		if u.dir != "" && !u.isOwnRepository(r, c.dir) {
			s.Hazards = addHazard(s.Hazards, gavel.Hazard{Kind: "loads", Option: hazardDirectory, Argument: c.dir, Index: 0})
		}
		u.checkDirectoryOption(r, c, s)
		return
	}
}

// checkDirectoryOption turns the hazard of an option that sets the working directory, as git -C, into the hazard
// of that directory, if the repository that the program finds there is the workspace's own.
func (u *unwrapper) checkDirectoryOption(r *programs.Repository, c call, s *gavel.Segment) {
	at, number := -1, 0
	for i, h := range s.Hazards {
		if r.In != "" && h.Option == r.In && h.Kind == "loads" {
			at, number = i, number+1
		}
	}
	if number != 1 || s.OptionsKnown != exact || c.dir == "" || u.Facts.Claimed || u.Facts.Workspace == "" {
		return
	}
	h := &s.Hazards[at]
	if h.Argument == "" || strings.ContainsAny(h.Argument[:1], "~-") {
		return
	}
	dir := path.Clean(host.In(c.dir, h.Argument))
	real, ok := u.Host.Resolve(host.In(c.dir, h.Argument))
	if ok && real == dir && u.Host.Kind(real) == host.KindDirectory && u.isOwnRepository(r, real) {
		h.Kind, h.Real = hazardDirectory, real
	}
}

// isOwnRepository reports whether the repository that a program would find is the workspace's own, or one
// that contains the workspace.
func (u *unwrapper) isOwnRepository(r *programs.Repository, dir string) bool {
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
		if own && (r.Bare == "" && real == root || r.Bare != "" && (tracked.Repositories{Host: u.Host, Kind: r}).Accepts(real)) {
			return true // checked-in files cannot have git's own name
		}
		if own && r.Bare == "" || r.Bare != "" && u.Host.Kind(host.Join(real, r.Bare)) != host.KindMissing {
			return false
		}
	}
	return true
}
