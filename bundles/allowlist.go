package bundles

import (
	"fmt"
	"strings"
	"sync"

	"gavel"
	"gavel/internal/pathglob"
)

// allowlists finds the allowlist entry that a program matches, in time that hardly depends on
// the number of entries. It is the fast equivalent of rego/gavel/exec/allowlist; both use the
// same glob engine, and a test compares them. Finding an entry is a fact; Rego judges whether
// it is enough.
//
// It is safe for concurrent use. An agent's index is built on first use.
type allowlists struct {
	everybody *index
	defaults  *index
	agents    map[string]any
	byAgent   sync.Map // agent id → *index

	rules, defaultRules *ruleList
	rulesByAgent        sync.Map // agent id → *ruleList
	packs               map[string]*ruleList
	shared              []string // packs for everybody
	leads               func(string) string
}

// newAllowlists indexes the entries and the rules of a configuration. leads says where a
// path leads that is a link, or ""; it may be nil. packs are the rules of packs, by name.
func newAllowlists(config, packs map[string]any, leads func(string) string) *allowlists {
	agents, _ := config["agents"].(map[string]any)
	indexed := map[string]*ruleList{}
	for name, pack := range packs {
		indexed[name] = newRuleList("packs."+name, at(pack, "rules"), leads)
	}
	return &allowlists{
		packs: indexed, shared: names(at(config, "tools", "exec", "packs")),
		everybody: newIndex("tools.exec", at(config, "tools", "exec", "allowlist")),
		defaults:  newIndex("agents.defaults.exec", at(agents, "defaults", "exec", "allowlist")),
		agents:    agents,
		leads:     leads,

		rules:        newRuleList("tools.exec", at(config, "tools", "exec", "rules"), leads),
		defaultRules: newRuleList("agents.defaults.exec", at(agents, "defaults", "exec", "rules"), leads),
	}
}

// match returns the first entry for an agent that the program matches: global entries first,
// then the agent's own, or those of agents.defaults.
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
		return a.defaults // not cached: the number of unknown ids is unlimited
	}
	list := at(section, "exec", "allowlist")
	if list == nil {
		return a.defaults
	}
	built, _ := a.byAgent.LoadOrStore(agent, newIndex("agents."+agent+".exec", list))
	return built.(*index)
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

// index holds one list of entries, and finds the first that fits.
type index struct {
	entries []gavel.Match
	paths   *pathglob.Index
}

func newIndex(path string, list any) *index {
	x := &index{}
	var patterns []string
	items, _ := list.([]any)
	for i, item := range items {
		text, ok := item.(string)
		var args []string
		if !ok {
			entry, _ := item.(map[string]any)
			text, _ = entry["pattern"].(string)
			args = accepted(entry["args"])
		}
		text = strings.TrimSpace(text)
		patterns = append(patterns, text)
		x.entries = append(x.entries, gavel.Match{Found: true, Pattern: text, Path: fmt.Sprintf("%s.allowlist[%d]", path, i), Args: args})
	}
	x.paths = pathglob.New(patterns)
	return x
}

// accepted reads the args of an entry: any, or a list of hazards by name. Any other value
// accepts nothing.
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

func (x *index) match(path, home string) gavel.Match {
	if first, ok := x.paths.First(path, home); ok {
		return x.entries[first]
	}
	return gavel.Match{}
}
