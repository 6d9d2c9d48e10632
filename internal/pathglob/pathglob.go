// Package pathglob finds the first of many patterns that a path matches, in time that hardly
// depends on their number. It is the fast equivalent of rego/gavel/exec/allowlist: both use
// the same glob engine, and a test of package bundles compares them. * and ? stay inside a
// directory, ** crosses directories, ~ is the home directory, everything else is literal; a
// bare * matches any path, and a pattern without / or ~ matches nothing.
package pathglob

import (
	"strings"

	"github.com/gobwas/glob"
)

// Index holds patterns: exact paths in a map, globs by the directory that they
// begin with. It never changes and is safe for concurrent use.
type Index struct {
	count    int
	anything int // position of a bare *, or -1
	absolute paths
	homed    paths // patterns that begin with ~/, without the ~
}

type paths struct {
	exact map[string]int
	globs map[string][]pattern // by literal directory, with its trailing /
}

type pattern struct {
	position int
	glob     *glob.Pattern
}

// New indexes patterns, which are trimmed already. Their order is kept.
func New(patterns []string) *Index {
	x := &Index{count: len(patterns), anything: -1,
		absolute: paths{exact: map[string]int{}, globs: map[string][]pattern{}},
		homed:    paths{exact: map[string]int{}, globs: map[string][]pattern{}}}
	for position, text := range patterns {
		x.add(text, position)
	}
	return x
}

func (x *Index) add(text string, position int) {
	switch {
	case text == "*":
		if x.anything < 0 {
			x.anything = position
		}
	case strings.HasPrefix(text, "~/"):
		x.homed.add(text[1:], position)
	case strings.HasPrefix(text, "~") || !strings.Contains(text, "/"):
		// No path looks like that, so the pattern matches nothing.
	default:
		x.absolute.add(text, position)
	}
}

func (p *paths) add(text string, position int) {
	meta := strings.IndexAny(text, "*?")
	if meta < 0 {
		if _, known := p.exact[text]; !known {
			p.exact[text] = position
		}
		return
	}
	compiled, err := glob.Compile(escape(text), '/')
	if err != nil {
		return // escaped text always compiles; a pattern that does not matches nothing
	}
	directory := text[:strings.LastIndexByte(text[:meta], '/')+1]
	p.globs[directory] = append(p.globs[directory], pattern{position, compiled})
}

// escape makes everything but *, ** and ? literal, as allowlist.rego does.
func escape(text string) string {
	return strings.NewReplacer(`[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `\`, `\\`, `!`, `\!`).Replace(text)
}

// First returns the position of the first pattern that an absolute path matches. home is the
// value of ~; if it is not an absolute path, ~ matches nothing.
func (x *Index) First(path, home string) (position int, ok bool) {
	first := x.count
	if x.anything >= 0 {
		first = x.anything
	}
	first = x.absolute.first(path, first)
	if strings.HasPrefix(home, "/") && strings.HasPrefix(path, home+"/") {
		first = x.homed.first(path[len(home):], first)
	}
	return first, first < x.count
}

// Anywhere reports whether a path matches a pattern that begins with ~/, with some directory in the
// place of ~.
func (x *Index) Anywhere(path string) bool {
	for i := range len(path) {
		if path[i] == '/' && x.homed.first(path[i:], x.count) < x.count {
			return true
		}
	}
	return false
}

// first returns the least position before limit whose pattern matches path.
func (p *paths) first(path string, limit int) int {
	if position, ok := p.exact[path]; ok && position < limit {
		limit = position
	}
	limit = p.firstIn(p.globs[""], path, limit)
	for i := range len(path) {
		if path[i] == '/' {
			limit = p.firstIn(p.globs[path[:i+1]], path, limit)
		}
	}
	return limit
}

func (p *paths) firstIn(patterns []pattern, path string, limit int) int {
	for _, candidate := range patterns {
		if candidate.position < limit && candidate.glob.Match(path) {
			return candidate.position
		}
	}
	return limit
}

// All returns the positions of every pattern that a path satisfies, in no order. Of
// patterns that are equal it has one.
func (x *Index) All(path, home string) (positions []int) {
	if x.anything >= 0 {
		positions = append(positions, x.anything)
	}
	positions = x.absolute.all(path, positions)
	if strings.HasPrefix(home, "/") && strings.HasPrefix(path, home+"/") {
		positions = x.homed.all(path[len(home):], positions)
	}
	return positions
}

func (p *paths) all(path string, found []int) []int {
	if position, ok := p.exact[path]; ok {
		found = append(found, position)
	}
	found = p.allIn(p.globs[""], path, found)
	for i := range len(path) {
		if path[i] == '/' {
			found = p.allIn(p.globs[path[:i+1]], path, found)
		}
	}
	return found
}

func (p *paths) allIn(patterns []pattern, path string, found []int) []int {
	for _, candidate := range patterns {
		if candidate.glob.Match(path) {
			found = append(found, candidate.position)
		}
	}
	return found
}
