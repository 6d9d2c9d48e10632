package site

import (
	"path"

	"gavel"
	"gavel/analyzer/below"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// The workspace is the directory that a call may treat as its own. The gateway or the
// configuration states it. What the agent chooses, such as workdir, never does.

// StateWorkspace sets the workspace. If both directories are given, the inner one is used; if
// neither is inside the other, the workspace is unknown. If none is given, the stated cwd is
// used.
func (s *Site) StateWorkspace(claimed, configured string) {
	stated := s.Facts.Cwd
	switch {
	case claimed != "" && configured != "":
		stated = narrower(s.ground(claimed), s.ground(configured))
	case claimed+configured != "":
		stated = claimed + configured
	}
	s.Facts.Workspace = s.ground(stated)
	s.grounds = [2]string{}
	if s.Facts.Workspace != "" {
		s.grounds = [2]string{s.Facts.Workspace, path.Clean(stated)}
	}
}

// Deny sets what the policy says of files that are read and written.
func (s *Site) Deny(says gavel.Search) {
	s.Look, s.Keep = nil, nil
	if says.Denied != nil {
		s.Look = s.look(says.Denied)
	}
	if says.Unwritable != nil || len(says.Writable) > 0 {
		s.Keep = &below.Keep{Look: s.look(says.Unwritable), Lists: says.Writable}
	}
}

func (s *Site) look(files gavel.Files) *below.Look {
	return &below.Look{Denied: files, Home: s.Facts.Home, Workspace: s.Facts.Workspace, Folds: s.Facts.Platform != "linux", Host: s.Host}
}

// ground returns the real path of a directory. It is "" if the path is relative or unknown, or if
// it is the root, which contains everything.
func (s *Site) ground(dir string) string {
	if !path.IsAbs(dir) {
		return ""
	}
	if real, ok := s.Host.Resolve(dir); ok && real != "/" {
		return real
	}
	return ""
}

// narrower returns whichever directory is inside the other, or "" if neither is.
func narrower(a, b string) string {
	switch {
	case host.Within(a, b):
		return a
	case host.Within(b, a):
		return b
	default:
		return ""
	}
}

// StartsIn resolves the directory that a command starts in, and returns what the tables say about
// it.
func (s *Site) StartsIn(dir string) (real, says string) {
	if dir == "" {
		return "", ""
	}
	at := s.Surroundings("")
	says = s.Paths.Path(dir, at)
	if found, ok := s.Host.Resolve(dir); ok {
		real = found
		if says == "" && real != dir {
			says = s.Paths.Path(real, at)
		}
	}
	return real, says
}

// Surroundings returns what is needed to interpret the words of a command that runs in a
// directory.
func (s *Site) Surroundings(dir string) hazard.Surroundings {
	return hazard.Surroundings{Dir: dir, Home: s.Facts.Home, Grounds: s.grounds, Folds: s.folds(), Blind: s.Facts.Claimed, Host: s.Host, Look: s.Look, Keep: s.Keep}
}

// folds reports whether file names on the platform are usually case-insensitive.
func (s *Site) folds() bool { return host.ReadsOn(s.Facts.Platform) != host.ReadsExactly }
