package main

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/rego"
)

// toolsArea is the area tool-policy. Its agents have a profile that removes nothing, so
// that what is seen is what the case's own lists do.
func toolsArea() area {
	tools := map[string]any{"profile": "full", "alsoAllow": []string{"*"}, "pluginOnlyAllowlist": "enforce", "profiles": map[string]any{"none": []string{}}}
	return area{count: 122, shared: map[string]any{"tools": tools}, ops: map[string]func(*testing.T, row) trial{
		"isToolAllowedByPolicy": toolAllowed, "ownerOnly": ownerOnly, "profile": profileTools, "mergeAlsoAllow": profileAlsoAllow,
		"expandToolGroups": groupTools, "normalizeToolName": toolName, "normalizeToolList": groupTools,
		"pickPolicy": pickedPolicy, "expandPluginGroups": pluginGroups, "analyzeAllowlist": analysedList,
		"effectivePolicy": effectivePolicy, "pipeline": pipeline, "groupPolicy": groupPolicy, "toolsBySender": senderPolicy,
		"sandboxToolPolicy": sandboxPolicy, "sandboxClassify": sandboxClass, "subagentPolicy": subagentPolicy, "subagentSession": subagentSession,
	}}
}

// toolLists is a policy of tools, as configurations write it.
type toolLists struct {
	Allow     []string `json:"allow,omitempty"`
	AlsoAllow []string `json:"alsoAllow,omitempty"`
	Deny      []string `json:"deny,omitempty"`
}

// keeps is what the reference makes of a policy whose entries are names, * and patterns
// that end in one.
func (l *toolLists) keeps(tool string) bool {
	return l == nil || !names(l.Deny, tool) && (len(l.Allow) == 0 || names(l.Allow, tool))
}

func names(entries []string, tool string) bool {
	return slices.ContainsFunc(entries, func(entry string) bool {
		stem, pattern := strings.CutSuffix(entry, "*")
		return entry == tool || pattern && strings.HasPrefix(tool, stem)
	})
}

// catalogTables are tables of the shipped catalog, with the tools that the reference knows:
// it says nothing of tools that are added.
type catalogTables struct {
	Tools    map[string]string
	Profiles map[string][]string
}

func (c catalogTables) names() []string { return slices.Sorted(maps.Keys(c.Tools)) }

func readCatalog(t *testing.T) catalogTables {
	t.Helper()
	text, err := rego.Policy.ReadFile("gavel/catalog/data.yaml")
	require.NoError(t, err)
	var tables catalogTables
	require.NoError(t, yaml.Unmarshal(text, &tables))
	reference, err := os.ReadFile(filepath.Join("testdata", "reference", "tool-policy.jsonl"))
	require.NoError(t, err)
	maps.DeleteFunc(tables.Tools, func(name, _ string) bool { return !bytes.Contains(reference, []byte(strconv.Quote(name))) })
	require.NotEmpty(t, tables.Tools)
	return tables
}

// passing returns the names that pass, in order, as one text.
func passing(list []string, passes func(string) bool) string {
	var kept []string
	for _, name := range slices.Sorted(slices.Values(list)) {
		if passes(name) {
			kept = append(kept, name)
		}
	}
	return strings.Join(slices.Compact(kept), " ")
}

// seen are the tools of a list that a call of the case's agent sees, which its owner makes.
func (p scene) seen(list []string, change ...func(*gavel.Call)) string {
	report := p.Tools(p.t.Context(), p.owners(change...))
	visible := map[string]bool{}
	for _, verdict := range report.Tools {
		visible[verdict.Name] = verdict.Visible
	}
	return passing(list, func(name string) bool { return visible[name] })
}

// owners is a call of the case's agent that the owner makes.
func (p scene) owners(change ...func(*gavel.Call)) gavel.Call {
	call := gavel.Call{Agent: gavel.Agent{ID: p.id}, Sender: &gavel.Sender{Owner: true}}
	for _, c := range change {
		c(&call)
	}
	return call
}

// plugin loads a plugin with tools.
func plugin(id string, tools ...string) func(*gavel.Call) {
	return func(c *gavel.Call) {
		c.Environment = &gavel.Environment{Plugins: map[string][]string{id: tools}}
	}
}

func toolAllowed(t *testing.T, r row) trial {
	in := part[struct {
		Policy map[string][]string
		Tool   string
	}](t, r.Input)
	c := trial{want: strconv.FormatBool(part[struct{ Allowed bool }](t, r.expected()).Allowed), agent: map[string]any{"tools": in.Policy},
		observe: func(p scene) string {
			return strconv.FormatBool(p.seen([]string{in.Tool}, plugin("custom", "anything", "axxbyyc", "axxbyycz")) == in.Tool)
		}}
	if slices.ContainsFunc(slices.Concat(in.Policy["allow"], in.Policy["deny"]), func(entry string) bool { return strings.TrimSpace(entry) == "" }) {
		c.config = map[string]any{"tools": in.Policy, "agents": map[string]any{"main": map[string]any{}}}
	}
	return c
}

// ownerOnly compares what the owner sees with what someone else sees.
func ownerOnly(t *testing.T, r row) trial {
	in := part[struct{ Tool string }](t, r.Input)
	return trial{want: strconv.FormatBool(part[struct{ OwnerOnly bool }](t, r.Expect).OwnerOnly), agent: map[string]any{},
		observe: func(p scene) string {
			owner := p.seen([]string{in.Tool}) != ""
			other := p.seen([]string{in.Tool}, func(c *gavel.Call) { c.Sender.Owner = false }) != ""
			return strconv.FormatBool(owner && !other)
		}}
}

func profileTools(t *testing.T, r row) trial {
	in := part[struct{ Profile string }](t, r.Input)
	want := part[struct{ Policy *toolLists }](t, r.Expect).Policy
	all := readCatalog(t).names()
	tools := map[string]any{"profile": in.Profile, "alsoAllow": []string{}}
	c := trial{agent: map[string]any{"tools": tools}, want: passing(all, want.keeps), observe: func(p scene) string {
		return p.seen(all)
	}}
	if in.Profile == "unknown-profile" {
		c.config = map[string]any{"tools": tools}
	}
	return c
}

// profileAlsoAllow merges alsoAllow into a profile: null is the profile full, and a policy
// without a list, or with an empty one, a profile of nobody's tools.
func profileAlsoAllow(t *testing.T, r row) trial {
	in := part[struct {
		Policy    *toolLists
		AlsoAllow []string
	}](t, r.Input)
	want := part[struct{ Policy *toolLists }](t, r.Expect).Policy
	profile, all := "full", readCatalog(t).names()
	if in.Policy != nil {
		profile = "none"
	}
	return trial{want: passing(all, want.keeps), agent: map[string]any{"tools": map[string]any{"profile": profile, "alsoAllow": in.AlsoAllow}},
		observe: func(p scene) string { return p.seen(all) }}
}

// groupTools compares what an allow list comes to.
func groupTools(t *testing.T, r row) trial {
	in := part[struct{ List []string }](t, r.Input)
	all, tools := readCatalog(t).names(), map[string]any{"allow": in.List}
	want := &toolLists{Allow: part[struct{ List []string }](t, r.Expect).List}
	c := trial{agent: map[string]any{"tools": tools}, want: passing(all, want.keeps), observe: func(p scene) string { return p.seen(all) }}
	if slices.Contains(in.List, "group:filesystem") || slices.Contains(in.List, "") {
		c.config = map[string]any{"tools": tools}
	}
	return c
}

func toolName(t *testing.T, r row) trial {
	in := part[struct{ Name string }](t, r.Input)
	return trial{want: part[struct{ Name string }](t, r.Expect).Name, agent: map[string]any{}, observe: func(p scene) string {
		facts, err := p.Observe(p.t.Context(), p.owners(func(c *gavel.Call) { c.Tool.Name = in.Name }))
		if err != nil {
			return err.Error()
		}
		return facts.Tool.Name
	}}
}

func pickedPolicy(t *testing.T, r row) trial {
	in := part[struct{ Section map[string][]string }](t, r.Input)
	want, all := part[struct{ Policy *toolLists }](t, r.Expect).Policy, readCatalog(t).names()
	return trial{agent: map[string]any{"tools": in.Section}, want: passing(all, want.keeps), observe: func(p scene) string {
		return p.seen(all, plugin("custom", "x"))
	}}
}
