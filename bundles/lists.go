package bundles

import (
	"slices"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// lists are everything that a configuration says of programs: entries of allowlists and rules
// about commands, for everybody, for agents and in packs. It finds what may be about a program
// in time that hardly depends on how much there is. It is the fast equivalent of
// rego/gavel/exec/allowlist and rego/gavel/exec/rules/lists; both use the same glob engine,
// and tests compare them. That an entry or a rule may be about a program is a fact; what
// follows is Rego's to say.
//
// It is safe for concurrent use. The list of an agent is made on first use.
type lists struct {
	everybody *list
	defaults  *list
	agents    map[string]any
	byAgent   sync.Map // agent id → *list
	packs     map[string]*list
	shared    []string // packs for everybody
	leads     func(string) string
}

// newLists indexes a configuration. leads says where a path leads that is a link, or ""; it
// may be nil. packs are the packs by name.
func newLists(config, packs map[string]any, leads func(string) string) *lists {
	agents, _ := config["agents"].(map[string]any)
	indexed := map[string]*list{}
	for name, pack := range packs {
		indexed[name] = newList("packs."+name, pack, leads)
	}
	return &lists{
		everybody: newList("tools.exec", at(config, "tools", "exec"), leads),
		defaults:  newList("agents.defaults.exec", at(agents, "defaults", "exec"), leads),
		agents:    agents, packs: indexed, shared: names(at(config, "tools", "exec", "packs")), leads: leads,
	}
}

// match returns what may be about a program of an agent: the first entry that it matches, and
// every rule. Entries and rules for everybody come first, then rules of packs, then what the
// agent has of its own. In place of entries of its own it has those of agents.defaults; where
// it has rules of its own, those of agents.defaults permit nothing. Rules is never nil. part
// is called if there is a rule at all.
func (l *lists) match(agent, home string, executable gavel.Executable, part func() rulePart) gavel.Match {
	own := l.of(agent)
	places := append(make([]place, 0, 8), place{list: l.everybody, entries: true}) // room for most policies
	for _, name := range l.packsFor(agent) {
		places = append(places, place{list: l.packs[name]})
	}
	places = append(places, place{list: own, entries: true},
		place{list: l.defaults, entries: own == nil || !own.hasEntries, objecting: own != nil && own.hasRules})
	found, rules := gavel.Match{}, []gavel.RuleRef{}
	var words *rulePart
	for _, at := range places {
		if at.list == nil {
			continue
		}
		positions := at.list.about(executable.Real, home)
		if at.entries && !found.Found && executable.Found {
			found = at.list.entry(positions)
		}
		if len(at.list.refs) == 0 {
			continue
		}
		if words == nil {
			read := part()
			words = &read
		}
		rules = at.list.candidates(rules, words, positions, home, at.objecting)
	}
	found.Rules = rules
	return found
}

// place is a list in the order in which lists hold for an agent.
type place struct {
	list      *list
	entries   bool // its entries hold
	objecting bool // its rules that permit do not hold
}

// of returns the list of an agent's own section, or nil.
func (l *lists) of(agent string) *list {
	if known, ok := l.byAgent.Load(agent); ok {
		return known.(*list)
	}
	section, configured := l.agents[agent].(map[string]any)
	if !configured || agent == "defaults" || agent == "list" {
		return nil // not cached: the number of unknown ids is unlimited
	}
	built, _ := l.byAgent.LoadOrStore(agent, newList("agents."+agent+".exec", at(section, "exec"), l.leads))
	return built.(*list)
}

// packsFor are the names of the packs for an agent: those for everybody, and its own or
// those of agents.defaults.
func (l *lists) packsFor(agent string) []string {
	own := at(l.agents, agent, "exec", "packs")
	if own == nil || agent == "defaults" || agent == "list" {
		own = at(l.agents, "defaults", "exec", "packs")
	}
	if own == nil {
		return l.shared
	}
	return append(slices.Clone(l.shared), names(own)...)
}

// packsOf are the packs among the data of a policy, by name.
func packsOf(data ast.Object) map[string]any {
	found, err := data.Find(ast.MustParseRef("data.gavel.catalog.packs")[1:])
	if err != nil {
		return nil // a root of the policy's own may have none
	}
	value, err := ast.JSON(found)
	if err != nil {
		return nil
	}
	packs, _ := value.(map[string]any)
	return packs
}

// at follows keys through maps, and returns nil if one is missing.
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

// names are the texts of a list.
func names(value any) (found []string) {
	list, _ := value.([]any)
	for _, one := range list {
		if text, ok := one.(string); ok {
			found = append(found, text)
		}
	}
	return found
}
