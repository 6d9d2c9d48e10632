package site

import (
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// SearchFirst puts directories in front of the search path. They are searched like the path: an
// empty or relative entry ends the search.
func (s *Site) SearchFirst(dirs []string) {
	if len(dirs) == 0 {
		return
	}
	s.Facts.PathPrepend = slices.Clone(dirs)
	s.SearchPath = slices.Concat(dirs, s.SearchPath)
	s.Host.SearchFirst(s.Facts.PathPrepend)
}

// Resolve finds the program that the first word of a command names. A word with a slash is a path
// relative to the working directory; any other word is looked up in the search path.
func (s *Site) Resolve(word, dir string) (host.Program, bool) {
	if !strings.Contains(word, "/") {
		return s.Host.Named(word, s.SearchPath)
	}
	full := host.In(dir, word)
	if full == "" {
		return host.Program{}, false
	}
	return s.Host.At(full)
}
