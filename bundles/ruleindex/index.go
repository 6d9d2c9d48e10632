// Package ruleindex finds the allowlist entries and command rules of a configuration that may
// apply to a program, in time that hardly depends on how many there are.
//
// It is the fast equivalent of rego/gavel/exec/allowlist and rego/gavel/exec/rules/lists. Both use
// the same glob engine, and tests of package bundles compare them. The result is a fact: an entry
// or a rule may apply. Rego decides what follows from it.
package ruleindex

import (
	"gavel/bundles/config"
	"slices"
	"sync"

	"gavel"
)

// Index holds the allowlist entries and command rules of a configuration: the global ones, those
// of agents, and those of packs. It is safe for concurrent use.
type Index struct {
	global      *section
	defaults    *section
	agents      map[string]any
	agentCache  sync.Map // agent id → *section, filled on first use
	packs       map[string]*section
	globalPacks []string // packs for all agents
	resolveLink func(string) string
}

// New indexes a configuration. packs are the packs by name. resolveLink returns the target of a
// path that is a link or goes through one, and "" for every other path; it may be nil.
func New(document, packs map[string]any, resolveLink func(string) string) *Index {
	agents, _ := document["agents"].(map[string]any)
	indexed := map[string]*section{}
	for name, pack := range packs {
		indexed[name] = newSection("packs."+name, pack, resolveLink)
	}
	return &Index{
		global:   newSection("tools.exec", config.LookUp(document, "tools", "exec"), resolveLink),
		defaults: newSection("agents.defaults.exec", config.LookUp(agents, "defaults", "exec"), resolveLink),
		agents:   agents, packs: indexed, globalPacks: stringsOf(config.LookUp(document, "tools", "exec", "packs")), resolveLink: resolveLink,
	}
}

// Match returns what may apply to a program that an agent wants to run: the first allowlist entry
// whose pattern matches, and every rule. Rules is never nil.
//
// Global entries and rules come first, then rules of packs, then those of the agent. An agent
// without an allowlist has that of agents.defaults. If an agent has rules, those of
// agents.defaults that allow do not apply to it.
//
// query is called at most once, and only if there is any rule.
func (x *Index) Match(agent, home string, executable gavel.Executable, query func() Query) gavel.Match {
	own := x.agentSection(agent)
	sources := append(make([]source, 0, 8), source{section: x.global, entries: true}) // enough for most policies
	for _, name := range x.packsFor(agent) {
		sources = append(sources, source{section: x.packs[name]})
	}
	sources = append(sources, source{section: own, entries: true},
		source{section: x.defaults, entries: own == nil || !own.hasEntries, objectingOnly: own != nil && own.hasRules})
	match, rules := gavel.Match{}, []gavel.RuleRef{}
	var q *Query
	for _, from := range sources {
		if from.section == nil {
			continue
		}
		matching := from.section.matching(executable.Real, home)
		if from.entries && !match.Found && executable.Found {
			match = from.section.firstEntry(matching)
		}
		if len(from.section.refs) == 0 {
			continue
		}
		if q == nil {
			made := query()
			q = &made
		}
		rules = from.section.appendRules(rules, q, matching, home, from.objectingOnly)
	}
	match.Rules = rules
	return match
}

// source is a section that applies to an agent, and which part of it does.
type source struct {
	section       *section
	entries       bool // its allowlist applies
	objectingOnly bool // its rules apply only if they ask or deny
}

// agentSection returns the section of an agent, or nil if the agent is not configured.
func (x *Index) agentSection(agent string) *section {
	if cached, ok := x.agentCache.Load(agent); ok {
		return cached.(*section)
	}
	settings, configured := x.agents[agent].(map[string]any)
	if !configured || agent == "defaults" || agent == "list" {
		return nil // not cached: callers can send any number of unknown ids
	}
	built, _ := x.agentCache.LoadOrStore(agent, newSection("agents."+agent+".exec", config.LookUp(settings, "exec"), x.resolveLink))
	return built.(*section)
}

// packsFor returns the names of the packs of an agent: the global ones, and its own or, if it
// names none, those of agents.defaults.
func (x *Index) packsFor(agent string) []string {
	own := config.LookUp(x.agents, agent, "exec", "packs")
	if own == nil || agent == "defaults" || agent == "list" {
		own = config.LookUp(x.agents, "defaults", "exec", "packs")
	}
	if own == nil {
		return x.globalPacks
	}
	return append(slices.Clone(x.globalPacks), stringsOf(own)...)
}

// stringsOf returns the strings in a list.
func stringsOf(value any) (found []string) {
	list, _ := value.([]any)
	for _, element := range list {
		if text, ok := element.(string); ok {
			found = append(found, text)
		}
	}
	return found
}
