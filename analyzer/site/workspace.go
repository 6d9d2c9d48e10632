package site

import (
	"path"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/treescan"
)

// The workspace is the directory that a call may treat as its own. The gateway or the configuration
// states it. A parameter that the agent chooses, such as workdir, never determines it.

// StateWorkspace sets the workspace. If both directories are given, the inner one is used; if
// neither is inside the other, the workspace is unknown. If none is given, the stated cwd is
// used.
func (s *Site) StateWorkspace(claimed, configured string) {
	stated := s.Facts.Cwd
	switch {
	case claimed != "" && configured != "":
		stated = inner(s.realWorkspace(claimed), s.realWorkspace(configured))
	case claimed+configured != "":
		stated = claimed + configured
	}
	s.Facts.Workspace = s.realWorkspace(stated)
	s.workspaceRoots = [2]string{}
	if s.Facts.Workspace != "" {
		s.workspaceRoots = [2]string{s.Facts.Workspace, path.Clean(stated)}
	}
}

// SetFileLists sets the files that the policy denies to read and write, and those that it permits to
// write.
func (s *Site) SetFileLists(settings gavel.CallSettings) {
	s.Scanner, s.WriteLists = nil, nil
	if settings.Denied != nil {
		s.Scanner = s.newScanner(settings.Denied)
	}
	if settings.Unwritable != nil || len(settings.Writable) > 0 {
		s.WriteLists = &treescan.WriteLists{Scanner: s.newScanner(settings.Unwritable), Allowed: settings.Writable}
	}
}

// newScanner returns a search for files in the directories of this site.
func (s *Site) newScanner(files gavel.Files) *treescan.Scanner {
	return &treescan.Scanner{Denied: files, Home: s.Facts.Home, Workspace: s.Facts.Workspace, Folds: s.Facts.Platform != "linux", Host: s.Host}
}

// realWorkspace returns the real path of a directory. It is "" if the path is relative or unknown, or if
// it is the root, which contains everything.
func (s *Site) realWorkspace(dir string) string {
	if !path.IsAbs(dir) {
		return ""
	}
	if real, ok := s.Host.Resolve(dir); ok && real != "/" {
		return real
	}
	return ""
}

// inner returns whichever directory is inside the other, or "" if neither is.
func inner(a, b string) string {
	switch {
	case host.Within(a, b):
		return a
	case host.Within(b, a):
		return b
	default:
		return ""
	}
}

// StartDirectory resolves the directory that a command starts in. pathHazard is
// the path hazard that it is, or "".
func (s *Site) StartDirectory(dir string) (real, pathHazard string) {
	if dir == "" {
		return "", ""
	}
	at := s.Surroundings("")
	pathHazard = s.Paths.Path(dir, at)
	if found, ok := s.Host.Resolve(dir); ok {
		real = found
		if pathHazard == "" && real != dir {
			pathHazard = s.Paths.Path(real, at)
		}
	}
	return real, pathHazard
}

// Surroundings returns what is needed to interpret the words of a command that runs in a
// directory.
func (s *Site) Surroundings(dir string) hazard.Surroundings {
	return hazard.Surroundings{Dir: dir, Home: s.Facts.Home, Workspaces: s.workspaceRoots, Folds: s.foldsNames(), NoLookups: s.Facts.Claimed, Host: s.Host, Scanner: s.Scanner, WriteLists: s.WriteLists}
}

// foldsNames reports whether file names on the platform are usually case-insensitive.
func (s *Site) foldsNames() bool { return host.MatchingOn(s.Facts.Platform) != host.MatchExact }
