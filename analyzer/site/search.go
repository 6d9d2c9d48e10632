package site

import (
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// SearchFirst puts directories before the search path. Each of them is searched as
// the path is: an entry that is empty or relative ends the search.
func (s *Site) SearchFirst(dirs []string) {
	if len(dirs) == 0 {
		return
	}
	s.Facts.PathPrepend = slices.Clone(dirs)
	s.SearchPath = slices.Concat(dirs, s.SearchPath)
	s.Host.SearchFirst(s.Facts.PathPrepend)
}

// Resolve finds the program that the first word of a command names: by path,
// relative to the working directory, when it holds a slash, and else by search.
func (s *Site) Resolve(word, dir string) (host.Program, bool) {
	switch {
	case !strings.Contains(word, "/"):
		return s.Host.Named(word, s.SearchPath)
	case strings.HasPrefix(word, "/"):
		return s.Host.At(word)
	case dir == "":
		return host.Program{}, false
	default:
		return s.Host.At(dir + "/" + word)
	}
}
