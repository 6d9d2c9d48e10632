package config

import (
	"fmt"
	"reflect"
	"strings"
)

// canonicalize converts the tree to the canonical shape of [Document.Data]. Values keep the
// locations where they were written. Values of the wrong type stay unchanged, for the schema
// to refuse.
func canonicalize(root *node, found *problems) {
	if tools := root.child("tools"); tools != nil {
		lowerToolKeys(tools, "tools", found)
	}
	if agents := root.child("agents"); agents != nil {
		canonicalizeAgents(agents, found)
	}
	if channels := root.child("channels"); channels != nil {
		canonicalizeChannels(channels, found)
	}
}

// canonicalizeSettings unifies the two shapes of one agent's settings, or of agents.defaults:
// the profile goes under tools, and exec next to it.
func canonicalizeSettings(agent *node, path string, found *problems) {
	moveProfile(agent, path, found)
	moveExec(agent, path, found)
	if tools := agent.child("tools"); tools != nil {
		lowerToolKeys(tools, path+".tools", found)
	}
}

// lowerToolKeys folds the keys of the open maps in a section of tools.
func lowerToolKeys(tools *node, path string, found *problems) {
	lowerKeys(tools.child("byProvider"), path+".byProvider", "provider", found)
	lowerKeys(tools.child("toolsBySender"), path+".toolsBySender", "sender", found)
}

// moveProfile moves agents.<id>.profile to agents.<id>.tools.profile. Both are valid
// (CONFIG-1); if both are present, they must agree.
func moveProfile(agent *node, path string, found *problems) {
	given := agent.get("profile")
	if given == nil {
		return
	}
	profile := *given
	tools := agent.get("tools")
	switch {
	case tools == nil:
		holder := &node{kind: mapping, place: profile.place, fields: []field{profile}}
		agent.fields = append(agent.fields, field{key: "tools", place: profile.place, value: holder})
	case tools.value.kind != mapping:
		return
	default:
		merge(tools.value, path+".tools", found, profile)
	}
	agent.remove("profile")
}

// moveExec moves agents.<id>.tools.exec to agents.<id>.exec, key by key if both are present.
// A key in both must have the same value.
func moveExec(agent *node, path string, found *problems) {
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
		merge(outer.value, path+".exec", found, moved.value.fields...)
	}
	tools.remove("exec")
	if len(tools.fields) == 0 {
		agent.remove("tools")
	}
}

// merge adds fields to a mapping. The same key with a different value is a problem.
func merge(to *node, path string, found *problems, fields ...field) {
	have := make(map[string]field, len(to.fields))
	for _, f := range to.fields {
		have[f.key] = f
	}
	for _, f := range fields {
		first, twice := have[f.key]
		switch {
		case !twice:
			to.fields = append(to.fields, f)
		case !reflect.DeepEqual(first.value.data(), f.value.data()):
			found.add(f.place, join(path, f.key), fmt.Sprintf("%s has another value in line %d", f.key, first.place.line),
				"", "write it once")
		}
	}
}

// lowerKeys trims and lower-cases the keys of a mapping. Blank and duplicate keys are
// problems.
func lowerKeys(n *node, path, what string, found *problems) {
	rewriteKeys(n, path, what, normal, "merge the two: case and surrounding spaces do not count", found)
}

// trimKeys does the same without changing case.
func trimKeys(n *node, path, what string, found *problems) {
	rewriteKeys(n, path, what, strings.TrimSpace, "merge the two: surrounding spaces do not count", found)
}

func rewriteKeys(n *node, path, what string, rewrite func(string) string, twiceFix string, found *problems) {
	if n == nil {
		return
	}
	seen := make(map[string]place, len(n.fields))
	kept := n.fields[:0]
	for _, f := range n.fields {
		key := rewrite(f.key)
		first, twice := seen[key]
		switch {
		case key == "":
			found.add(f.place, path, fmt.Sprintf("a %s without a name", what), "", fmt.Sprintf("name the %s", what))
		case twice:
			found.add(f.place, join(path, key), fmt.Sprintf("the %s %s occurs twice; the first is in line %d",
				what, shorten(key), first.line), "", twiceFix)
		default:
			seen[key] = f.place
			kept = append(kept, field{key: key, place: f.place, value: f.value})
		}
	}
	n.fields = kept
}

// normal is the canonical form of an id, or of a case-insensitive name.
func normal(name string) string { return strings.ToLower(strings.TrimSpace(name)) }
