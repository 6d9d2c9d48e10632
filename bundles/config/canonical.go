package config

import (
	"fmt"
	"reflect"
	"strings"
)

// canonicalize converts the tree to the canonical shape of [Document.Data]. Values keep their
// locations in the text. Values of the wrong type are left to the schema.
func canonicalize(root *node, problems *problemList) {
	if tools := root.child("tools"); tools != nil {
		lowerToolKeys(tools, "tools", problems)
	}
	if agents := root.child("agents"); agents != nil {
		canonicalizeAgents(agents, problems)
	}
	if channels := root.child("channels"); channels != nil {
		canonicalizeChannels(channels, problems)
	}
}

// canonicalizeSettings unifies the two shapes of an agent's settings, or of agents.defaults: the
// profile goes under tools, and exec next to tools.
func canonicalizeSettings(agent *node, path string, problems *problemList) {
	moveProfile(agent, path, problems)
	moveExec(agent, path, problems)
	if tools := agent.child("tools"); tools != nil {
		lowerToolKeys(tools, path+".tools", problems)
	}
}

// lowerToolKeys normalizes the keys of the open maps in a section of tools.
func lowerToolKeys(tools *node, path string, problems *problemList) {
	lowerKeys(tools.child("byProvider"), path+".byProvider", "provider", problems)
	lowerKeys(tools.child("toolsBySender"), path+".toolsBySender", "sender", problems)
}

// moveProfile moves agents.<id>.profile to agents.<id>.tools.profile. Both are valid (CONFIG-1). If
// an agent has both, they must be equal.
func moveProfile(agent *node, path string, problems *problemList) {
	given := agent.get("profile")
	if given == nil {
		return
	}
	profile := *given
	tools := agent.get("tools")
	switch {
	case tools == nil:
		holder := &node{kind: mapping, location: profile.location, fields: []field{profile}}
		agent.fields = append(agent.fields, field{key: "tools", location: profile.location, value: holder})
	case tools.value.kind != mapping:
		return
	default:
		merge(tools.value, path+".tools", problems, profile)
	}
	agent.remove("profile")
}

// moveExec moves agents.<id>.tools.exec to agents.<id>.exec. If an agent has both, they are merged,
// and a key in both must have the same value.
func moveExec(agent *node, path string, problems *problemList) {
	tools := agent.child("tools")
	inner := tools.get("exec")
	if inner == nil {
		return
	}
	moved := *inner
	switch outer := agent.get("exec"); {
	case outer == nil:
		agent.fields = append(agent.fields, moved)
	case outer.value.kind != mapping || moved.value.kind != mapping:
		return
	default:
		merge(outer.value, path+".exec", problems, moved.value.fields...)
	}
	tools.remove("exec")
	if len(tools.fields) == 0 {
		agent.remove("tools")
	}
}

// merge adds fields to a mapping. A key that is there with another value is a problem.
func merge(to *node, path string, problems *problemList, fields ...field) {
	have := make(map[string]field, len(to.fields))
	for _, f := range to.fields {
		have[f.key] = f
	}
	for _, f := range fields {
		first, duplicate := have[f.key]
		switch {
		case !duplicate:
			to.fields = append(to.fields, f)
		case !reflect.DeepEqual(first.value.data(), f.value.data()):
			problems.add(f.location, join(path, f.key), fmt.Sprintf("%s has another value on line %d", f.key, first.location.line),
				"", "write it once")
		}
	}
}

// lowerKeys trims and lower-cases the keys of a mapping. Blank and duplicate keys are
// problems.
func lowerKeys(n *node, path, what string, problems *problemList) {
	rewriteKeys(n, path, what, normalize, "merge the two: case and surrounding spaces do not count", problems)
}

// trimKeys is lowerKeys without changing the case.
func trimKeys(n *node, path, what string, problems *problemList) {
	rewriteKeys(n, path, what, strings.TrimSpace, "merge the two: surrounding spaces do not count", problems)
}

func rewriteKeys(n *node, path, what string, rewrite func(string) string, twiceFix string, problems *problemList) {
	if n == nil {
		return
	}
	seen := make(map[string]location, len(n.fields))
	kept := n.fields[:0]
	for _, f := range n.fields {
		key := rewrite(f.key)
		first, duplicate := seen[key]
		switch {
		case key == "":
			problems.add(f.location, path, fmt.Sprintf("a %s without a name", what), "", fmt.Sprintf("name the %s", what))
		case duplicate:
			problems.add(f.location, join(path, key), fmt.Sprintf("the %s %s occurs twice; the first is on line %d",
				what, quote(key), first.line), "", twiceFix)
		default:
			seen[key] = f.location
			kept = append(kept, field{key: key, location: f.location, value: f.value})
		}
	}
	n.fields = kept
}

// normalize returns the canonical form of an id, or of a case-insensitive name.
func normalize(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
