package analyzer

import (
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// searchFirst puts directories before the search path. Each of them is searched as
// the path is: an entry that is empty or relative ends the search.
func (p *site) searchFirst(dirs []string) {
	if len(dirs) == 0 {
		return
	}
	p.facts.PathPrepend = slices.Clone(dirs)
	p.path = slices.Concat(dirs, p.path)
	p.host.SearchFirst(p.facts.PathPrepend)
}

// resolve finds the program that the first word of a command names: by path,
// relative to the working directory, when it holds a slash, and else by search.
func (p *site) resolve(word, dir string) (host.Program, bool) {
	switch {
	case !strings.Contains(word, "/"):
		return p.host.Named(word, p.path)
	case strings.HasPrefix(word, "/"):
		return p.host.At(word)
	case dir == "":
		return host.Program{}, false
	default:
		return p.host.At(dir + "/" + word)
	}
}
