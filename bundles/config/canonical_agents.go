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

// agentMerger merges the three ways to write agents (CONFIG-1): agents.<id>, agents.list[], and
// agents.entries.<id> of newer versions of OpenClaw.
type agentMerger struct {
	problems *problemList
	validID  *regexp.Regexp
	seen     map[string]location
	out      []field
}

// canonicalizeAgents turns agents into one map from ids to settings.
func canonicalizeAgents(agents *node, problems *problemList) {
	s := &agentMerger{problems: problems, validID: regexp.MustCompile(agentID), seen: map[string]location{}}
	for _, f := range agents.fields {
		switch {
		case f.key == agentDefaults:
			if f.value.kind == mapping {
				canonicalizeSettings(f.value, "agents.defaults", problems)
			}
			s.out = append(s.out, f)
		case f.key == agentList && f.value.kind == list:
			for i, item := range f.value.items {
				s.addListed(item, "agents.list["+strconv.Itoa(i)+"]")
			}
		case f.key == agentList:
			problems.add(valueLocation(f), "agents.list", wrongType("a list of agents", f.value), "",
				"write a list of maps with an id each, or agents.<id>")
		case f.key == agentEntries && f.value.kind == mapping:
			for _, entry := range f.value.fields {
				s.addKeyed(entry, "agents.entries")
			}
		case f.key == agentEntries:
			problems.add(valueLocation(f), "agents.entries", wrongType("a map of agents", f.value), "",
				"write a map from ids to settings, or agents.<id>")
		default:
			s.addKeyed(f, "agents")
		}
	}
	agents.fields = s.out
}

// addListed adds an item of agents.list[].
func (s *agentMerger) addListed(item *node, path string) {
	if item.kind != mapping {
		s.problems.add(item.location, path, wrongType("a map with an id", item), "", "write the agent as a map with an id")
		return
	}
	given := item.get("id")
	switch {
	case given == nil:
		s.problems.add(item.location, path, "the agent has no id", "", "add an id, such as main")
		return
	case given.value.kind != text:
		s.problems.add(valueLocation(*given), path+".id", wrongType("a string", given.value), "", "put the id in quotes")
		return
	}
	id := normalize(given.value.text)
	if s.admit(id, valueLocation(*given), path+".id", item.location) {
		s.addAgent(field{key: id, location: item.location, value: item})
	}
}

// addKeyed adds an agent that is a field of agents or of agents.entries.
func (s *agentMerger) addKeyed(f field, holder string) {
	id, path := normalize(f.key), join(holder, f.key)
	if near := nearest.Mistakable(id, []string{agentDefaults}); near != "" {
		s.problems.add(f.location, path, fmt.Sprintf("%s is too similar to %s to be an agent id here", quote(f.key), near),
			near, "write defaults; if the agent really has this id, put it into agents.list")
		return
	}
	if !s.admit(id, f.location, path, f.location) {
		return
	}
	if given := f.value.get("id"); given != nil && given.value.kind == text && normalize(given.value.text) != id {
		s.problems.add(valueLocation(*given), path+".id", fmt.Sprintf("the id is %s, but the agent is listed under %s",
			quote(given.value.text), quote(f.key)), f.key, "remove the id, or make the two equal")
		return
	}
	s.addAgent(field{key: id, location: f.location, value: f.value})
}

// admit reports whether an id is valid and new. Otherwise it adds a problem at the location at.
func (s *agentMerger) admit(id string, at location, path string, location location) bool {
	first, duplicate := s.seen[id]
	switch {
	case id == "":
		s.problems.add(at, path, "the agent's id is blank", "", "name the agent, such as main")
	case id == agentDefaults || id == agentList || id == agentEntries:
		s.problems.add(at, path, fmt.Sprintf("%s is a reserved word, not an agent id", id), "", "choose another id")
	case !s.validID.MatchString(id):
		s.problems.add(at, path, fmt.Sprintf("%s is not an agent id", quote(id)), "",
			"use letters, digits, _ and -, at most 64, beginning with a letter or digit")
	case duplicate:
		s.problems.add(at, path, fmt.Sprintf("the agent %s is already configured on line %d", id, first.line), "",
			"merge the two: configure an agent once, in agents.list or under its id")
	default:
		s.seen[id] = location
		return true
	}
	return false
}

func (s *agentMerger) addAgent(f field) {
	if f.value.kind == mapping {
		if id := f.value.get("id"); id != nil && id.value.kind == text {
			f.value.remove("id")
		}
		canonicalizeSettings(f.value, "agents."+f.key, s.problems)
	}
	s.out = append(s.out, f)
}

// valueLocation returns the location to report for a value. For an empty value it is the key's.
func valueLocation(f field) location {
	if f.value.kind == null {
		return f.location
	}
	return f.value.location
}

// wrongType says that a value has the wrong type.
func wrongType(want string, got *node) string {
	if got.kind == null {
		return "is empty; it must be " + want
	}
	return fmt.Sprintf("must be %s, not %s", want, got.describe())
}
