package config

import (
	"fmt"
	"regexp"
	"strconv"

	"gavel/internal/nearest"
)

// The keys of agents that are not agent ids.
const (
	agentDefaults = "defaults"
	agentList     = "list"
	agentEntries  = "entries"
)

// agentID matches an agent id after trimming and lower-casing.
const agentID = `^[a-z0-9][a-z0-9_-]{0,63}$`

// agentShapes merges the ways to write agents (CONFIG-1): agents.<id>, agents.list[], and
// agents.entries.<id> of newer versions of OpenClaw.
type agentShapes struct {
	found *problems
	valid *regexp.Regexp
	seen  map[string]place
	out   []field
}

// canonicalizeAgents turns agents.list[], agents.entries and agents.<id> into one map of
// agents without their id.
func canonicalizeAgents(agents *node, found *problems) {
	s := &agentShapes{found: found, valid: regexp.MustCompile(agentID), seen: map[string]place{}}
	for _, f := range agents.fields {
		switch {
		case f.key == agentDefaults:
			if f.value.kind == mapping {
				canonicalizeSettings(f.value, "agents.defaults", found)
			}
			s.out = append(s.out, f)
		case f.key == agentList && f.value.kind == list:
			for i, item := range f.value.items {
				s.listed(item, "agents.list["+strconv.Itoa(i)+"]")
			}
		case f.key == agentList:
			found.add(valuePlace(f), "agents.list", mustBe("a list of agents", f.value), "",
				"write a list of maps with an id each, or agents.<id>")
		case f.key == agentEntries && f.value.kind == mapping:
			for _, entry := range f.value.fields {
				s.keyed(entry, "agents.entries")
			}
		case f.key == agentEntries:
			found.add(valuePlace(f), "agents.entries", mustBe("a map of agents", f.value), "",
				"write a map from ids to settings, or agents.<id>")
		default:
			s.keyed(f, "agents")
		}
	}
	agents.fields = s.out
}

// listed takes an item of agents.list[].
func (s *agentShapes) listed(item *node, path string) {
	if item.kind != mapping {
		s.found.add(item.place, path, mustBe("a map with an id", item), "", "write the agent as a map with an id")
		return
	}
	given := item.get("id")
	switch {
	case given == nil:
		s.found.add(item.place, path, "the agent has no id", "", "add an id, such as main")
		return
	case given.value.kind != text:
		s.found.add(valuePlace(*given), path+".id", mustBe("a string", given.value), "", "put the id in quotes")
		return
	}
	id := normal(given.value.text)
	if s.admit(id, valuePlace(*given), path+".id", item.place) {
		s.add(field{key: id, place: item.place, value: item})
	}
}

// keyed takes a field of agents, or of agents.entries, that is an agent.
func (s *agentShapes) keyed(f field, holder string) {
	id, path := normal(f.key), join(holder, f.key)
	if near := nearest.Mistakable(id, []string{agentDefaults}); near != "" {
		s.found.add(f.place, path, fmt.Sprintf("%s is too similar to %s to be an agent id here", shorten(f.key), near),
			near, "write defaults; if the agent really has this id, put it into agents.list")
		return
	}
	if !s.admit(id, f.place, path, f.place) {
		return
	}
	if given := f.value.get("id"); given != nil && given.value.kind == text && normal(given.value.text) != id {
		s.found.add(valuePlace(*given), path+".id", fmt.Sprintf("the id is %s, but the agent is listed under %s",
			shorten(given.value.text), shorten(f.key)), f.key, "remove the id, or make the two equal")
		return
	}
	s.add(field{key: id, place: f.place, value: f.value})
}

// admit says whether an id may be used for another agent; otherwise it adds a problem.
func (s *agentShapes) admit(id string, at place, path string, stands place) bool {
	first, twice := s.seen[id]
	switch {
	case id == "":
		s.found.add(at, path, "the agent's id is blank", "", "name the agent, such as main")
	case id == agentDefaults || id == agentList || id == agentEntries:
		s.found.add(at, path, fmt.Sprintf("%s is a reserved word, not an agent id", id), "", "choose another id")
	case !s.valid.MatchString(id):
		s.found.add(at, path, fmt.Sprintf("%s is not an agent id", shorten(id)), "",
			"use letters, digits, _ and -, at most 64, beginning with a letter or digit")
	case twice:
		s.found.add(at, path, fmt.Sprintf("the agent %s is already configured in line %d", id, first.line), "",
			"merge the two: configure an agent once, in agents.list or under its id")
	default:
		s.seen[id] = stands
		return true
	}
	return false
}

func (s *agentShapes) add(f field) {
	if f.value.kind == mapping {
		if id := f.value.get("id"); id != nil && id.value.kind == text {
			f.value.remove("id")
		}
		canonicalizeSettings(f.value, "agents."+f.key, s.found)
	}
	s.out = append(s.out, f)
}

// valuePlace is the location to report for a value: the value, or the key of an empty value.
func valuePlace(f field) place {
	if f.value.kind == null {
		return f.place
	}
	return f.value.place
}

// mustBe describes a wrong type.
func mustBe(want string, got *node) string {
	if got.kind == null {
		return "is empty; it must be " + want
	}
	return fmt.Sprintf("must be %s, not %s", want, got.describe())
}
