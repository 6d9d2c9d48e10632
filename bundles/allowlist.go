package bundles

import (
	"fmt"
	"strings"
	"sync"

	"github.com/gobwas/glob"

	"gavel"
)

// allowlists finds the allowlist entry that a program satisfies, in time that
// hardly depends on how many entries there are. It is the fast twin of
// rego/gavel/exec/allowlist; both use the same glob engine, and a test holds them
// together. Finding an entry is a fact; whether it suffices is Rego's to say.
//
// It is safe for concurrent use. Indexes are built when an agent is first seen.
type allowlists struct {
	everybody *index
	defaults  *index
	agents    map[string]any
	byAgent   sync.Map // agent id → *index
}

func newAllowlists(config map[string]any) *allowlists {
	agents, _ := config["agents"].(map[string]any)
	return &allowlists{
		everybody: newIndex("tools.exec", at(config, "tools", "exec", "allowlist")),
		defaults:  newIndex("agents.defaults.exec", at(agents, "defaults", "exec", "allowlist")),
		agents:    agents,
	}
}

// match returns the first entry for an agent that the program satisfies: entries
// for everybody first, then the agent's own, or those of agents.defaults.
func (a *allowlists) match(agent string, program gavel.Executable, home string) gavel.Match {
	if !program.Found || program.Real == "" {
		return gavel.Match{}
	}
	if m := a.everybody.match(program.Real, home); m.Found {
		return m
	}
	return a.of(agent).match(program.Real, home)
}

func (a *allowlists) of(agent string) *index {
	if known, ok := a.byAgent.Load(agent); ok {
		return known.(*index)
	}
	section, configured := a.agents[agent].(map[string]any)
	if !configured || agent == "defaults" || agent == "list" {
		return a.defaults // not remembered: unknown ids have no bound
	}
	list := at(section, "exec", "allowlist")
	if list == nil {
		return a.defaults
	}
	built, _ := a.byAgent.LoadOrStore(agent, newIndex("agents."+agent+".exec", list))
	return built.(*index)
}

// at walks maps by keys, and returns nil where there is nothing.
func at(value any, keys ...string) any {
	for _, key := range keys {
		section, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = section[key]
	}
	return value
}

// index holds one list of entries: exact paths in a map, patterns by the
// directory that they begin with. Entries keep their order; the first wins.
type index struct {
	entries  []gavel.Match
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

func newIndex(path string, list any) *index {
	x := &index{anything: -1,
		absolute: paths{exact: map[string]int{}, globs: map[string][]pattern{}},
		homed:    paths{exact: map[string]int{}, globs: map[string][]pattern{}}}
	items, _ := list.([]any)
	for i, item := range items {
		text, ok := item.(string)
		var args []string
		if !ok {
			entry, _ := item.(map[string]any)
			text, _ = entry["pattern"].(string)
			args = accepted(entry["args"])
		}
		x.add(strings.TrimSpace(text), fmt.Sprintf("%s.allowlist[%d]", path, i), args)
	}
	return x
}

// accepted reads args of an entry: any, or a list of hazards by name. What is
// neither accepts nothing.
func accepted(value any) []string {
	if value == "any" {
		return []string{"any"}
	}
	items, _ := value.([]any)
	var args []string
	for _, item := range items {
		if name, ok := item.(string); ok && name != "any" {
			args = append(args, name)
		}
	}
	return args
}

func (x *index) add(text, path string, args []string) {
	position := len(x.entries)
	x.entries = append(x.entries, gavel.Match{Found: true, Pattern: text, Path: path, Args: args})
	switch {
	case text == "*":
		if x.anything < 0 {
			x.anything = position
		}
	case strings.HasPrefix(text, "~/"):
		x.homed.add(text[1:], position)
	case strings.HasPrefix(text, "~") || !strings.Contains(text, "/"):
		// No path looks like that, so the entry matches nothing.
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
		return // escaped text always compiles; an entry that does not matches nothing
	}
	directory := text[:strings.LastIndexByte(text[:meta], '/')+1]
	p.globs[directory] = append(p.globs[directory], pattern{position, compiled})
}

// escape makes everything but *, ** and ? literal, as allowlist.rego does.
func escape(text string) string {
	return strings.NewReplacer(`[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`, `\`, `\\`, `!`, `\!`).Replace(text)
}

func (x *index) match(path, home string) gavel.Match {
	first := len(x.entries)
	if x.anything >= 0 {
		first = x.anything
	}
	first = x.absolute.first(path, first)
	if strings.HasPrefix(home, "/") && strings.HasPrefix(path, home+"/") {
		first = x.homed.first(path[len(home):], first)
	}
	if first == len(x.entries) {
		return gavel.Match{}
	}
	return x.entries[first]
}

// first returns the least position before limit whose entry matches path.
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
