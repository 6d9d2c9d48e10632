package site

import (
	"path"
	"strings"

	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
)

// The workspace is the directory that a call may treat as its own. The gateway or the
// configuration states it; what the agent chooses, such as workdir, never does.

// StateWorkspace decides which directory the workspace is. Each of two may narrow the other.
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

// ground is a directory by its real path, or "" when it is not an absolute one, is not
// known, or is the root, in which everything would be.
func (s *Site) ground(dir string) string {
	if !path.IsAbs(dir) {
		return ""
	}
	if real, ok := s.Host.Resolve(dir); ok && real != "/" {
		return real
	}
	return ""
}

// narrower is the directory that lies in the other one, or "" when neither does.
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

// StartsIn finds the directory that a command begins in, and what the tables say of it.
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

// Surroundings are where words mean something to a command that runs in a directory.
func (s *Site) Surroundings(dir string) hazard.Surroundings {
	return hazard.Surroundings{Dir: dir, Home: s.Facts.Home, Grounds: s.grounds, Folds: s.folds(), Blind: s.Facts.Claimed, Host: s.Host}
}

// folds reports whether file systems of the platform take letters of both cases for the
// same, as a rule.
func (s *Site) folds() bool {
	return s.Facts.Platform == "darwin" || strings.HasPrefix(s.Facts.Platform, "mac") || strings.HasPrefix(s.Facts.Platform, "win")
}
