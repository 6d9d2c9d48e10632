package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"gavel"
)

// pluginGroups compares what an allow list comes to when plugins are loaded.
func pluginGroups(t *testing.T, r row) trial {
	in := part[struct {
		List  []string
		Tools []struct{ Name, PluginID string }
	}](t, r.Input)
	want := &toolLists{Allow: part[struct{ List []string }](t, r.Expect).List}
	all, plugins := readCatalog(t).names(), map[string][]string{}
	for _, tool := range in.Tools {
		all = append(all, tool.Name)
		if id := strings.TrimSpace(tool.PluginID); id != "" {
			plugins[id] = append(plugins[id], tool.Name)
		}
	}
	tools := map[string]any{}
	if in.List != nil {
		tools["allow"] = in.List
	}
	folded := make([]string, len(all))
	for i, name := range all {
		folded[i] = strings.ToLower(name)
	}
	folded = slices.DeleteFunc(folded, func(name string) bool { return name == "orphan" }) // of no plugin, so nobody knows it
	return trial{want: passing(folded, want.keeps), agent: map[string]any{"tools": tools}, observe: func(p scene) string {
		return p.seen(folded, func(c *gavel.Call) { c.Environment = &gavel.Environment{Plugins: plugins} })
	}}
}

// analysedList compares what is said of an allow list.
func analysedList(t *testing.T, r row) trial {
	in := part[struct {
		Allow       []string
		PluginTools map[string][]string
	}](t, r.Input)
	want := part[struct {
		UnknownAllowlist    []string
		PluginOnlyAllowlist bool
	}](t, r.Expect)
	return trial{want: fmt.Sprintf("unknown %v, plugin entries only %t", want.UnknownAllowlist, want.PluginOnlyAllowlist),
		agent: map[string]any{"tools": map[string]any{"allow": in.Allow}}, observe: func(p scene) string {
			report := p.Tools(p.t.Context(), p.owners(func(c *gavel.Call) { c.Environment = &gavel.Environment{Plugins: in.PluginTools} }))
			for _, list := range report.Allowlists {
				return fmt.Sprintf("unknown %v, plugin entries only %t", list.UnknownAllowlist, list.StrippedAllowlist)
			}
			return "nothing is said"
		}}
}

// resolved is what the reference makes of a configuration: the policies of its first steps.
type resolved struct {
	Profile, ProviderProfile                                             *string
	GlobalPolicy, GlobalProviderPolicy, AgentPolicy, AgentProviderPolicy *toolLists
	ProfileAlsoAllow, ProviderProfileAlsoAllow                           []string
}

// keeps reports whether all the steps keep a tool, with the profiles of the catalog.
func (p *resolved) keeps(profiles map[string][]string, tool string) bool {
	for _, list := range []*toolLists{p.GlobalPolicy, p.GlobalProviderPolicy, p.AgentPolicy, p.AgentProviderPolicy} {
		if !list.keeps(tool) {
			return false
		}
	}
	in := func(profile *string, also []string) bool {
		return profile == nil || slices.Contains(profiles[*profile], tool) || slices.Contains(also, tool)
	}
	return in(p.Profile, p.ProfileAlsoAllow) && in(p.ProviderProfile, p.ProviderProfileAlsoAllow)
}

// effectivePolicy compares what is left after the steps of profiles, lists and providers.
// A configuration without a profile gets one that removes nothing.
func effectivePolicy(t *testing.T, r row) trial {
	in := part[struct {
		Config                          map[string]any
		AgentID, ModelProvider, ModelID string
	}](t, r.Input)
	want, tables := part[resolved](t, r.Expect), readCatalog(t)
	all := append(tables.names(), "a", "b")
	if want.Profile == nil {
		in.Config = with(in.Config, "tools", map[string]any{"alsoAllow": []string{"*"}})
	}
	return trial{config: peopledBy(in.Config, in.AgentID), want: passing(all, func(name string) bool { return want.keeps(tables.Profiles, name) }),
		observe: func(p scene) string {
			return p.seen(all, plugin("custom", "a", "b"), func(c *gavel.Call) {
				c.Agent.ID, c.Model = cmp.Or(in.AgentID, "main"), gavel.Model{Provider: in.ModelProvider, ID: in.ModelID}
			})
		}}
}

// with adds a section to a configuration, or to a section that is there.
func with(config map[string]any, section string, more map[string]any) map[string]any {
	config = maps.Clone(config)
	if config == nil {
		config = map[string]any{}
	}
	merged := maps.Clone(more)
	if there, is := config[section].(map[string]any); is {
		maps.Copy(merged, there)
	}
	config[section] = merged
	return config
}

// peopledBy names the agent main, where a case names none.
func peopledBy(config map[string]any, agent string) map[string]any {
	if agent != "" {
		return config
	}
	return with(config, "agents", map[string]any{"main": map[string]any{}})
}

// pipeline compares what is left after all steps, of the tools that are there.
func pipeline(t *testing.T, r row) trial {
	in := part[struct {
		Config                          map[string]any
		Tools                           json.RawMessage
		AgentID, ModelProvider, ModelID string
		SenderIsOwner                   bool
		SubagentDepth                   int
		PluginTools                     map[string][]string
	}](t, r.Input)
	want := part[struct{ Allowed []string }](t, r.expected())
	present := readCatalog(t).names()
	if string(in.Tools) != `"catalog"` {
		present = part[[]string](t, in.Tools)
	}
	for _, tools := range in.PluginTools {
		present = append(present, tools...)
	}
	return trial{config: peopledBy(in.Config, in.AgentID), want: passing(present, func(name string) bool { return slices.Contains(want.Allowed, name) }),
		observe: func(p scene) string {
			return p.seen(present, func(c *gavel.Call) {
				c.Agent = gavel.Agent{ID: cmp.Or(in.AgentID, "main"), Depth: &in.SubagentDepth}
				c.Sender.Owner, c.Model = in.SenderIsOwner, gavel.Model{Provider: in.ModelProvider, ID: in.ModelID}
				c.Environment = &gavel.Environment{Plugins: in.PluginTools}
			})
		}}
}

// sandboxPolicy compares what a sandboxed agent sees with the reference's two lists.
func sandboxPolicy(t *testing.T, r row) trial {
	in := part[struct {
		Config  map[string]any
		AgentID *string
	}](t, r.Input)
	want, all, id := part[toolLists](t, r.Expect), readCatalog(t).names(), ""
	if in.AgentID != nil {
		id = *in.AgentID
	}
	config := with(peopledBy(in.Config, id), "tools", map[string]any{"alsoAllow": []string{"*"}})
	return trial{config: config, want: passing(all, want.keeps), observe: func(p scene) string {
		return p.seen(all, func(c *gavel.Call) { c.Agent.ID, c.Agent.Sandboxed = cmp.Or(id, "main"), new(true) })
	}}
}

// sandboxClass compares what removes a tool in a sandbox: a deny list, an allow list, or
// nothing.
func sandboxClass(t *testing.T, r row) trial {
	in := part[struct {
		Policy map[string][]string
		Tool   string
	}](t, r.Input)
	want := part[struct{ BlockedByDeny, BlockedByAllow bool }](t, r.Expect)
	return trial{want: fmt.Sprintf("by deny %t, by allow %t", want.BlockedByDeny, want.BlockedByAllow),
		agent: map[string]any{"tools": map[string]any{"sandbox": map[string]any{"tools": in.Policy}}}, observe: func(p scene) string {
			report := p.Tools(p.t.Context(), p.owners(func(c *gavel.Call) { c.Agent.Sandboxed = new(true) }))
			for _, verdict := range report.Tools {
				if verdict.Name == in.Tool {
					code := ""
					if verdict.Reason != nil {
						code = verdict.Reason.Code
					}
					return fmt.Sprintf("by deny %t, by allow %t", code == "tools.denied", code == "tools.not_allowed")
				}
			}
			return "the tool is unknown"
		}}
}

// subagentPolicy compares whether a subagent sees a tool.
func subagentPolicy(t *testing.T, r row) trial {
	in := part[struct {
		Config map[string]any
		Depth  int
		Tool   string
	}](t, r.Input)
	return trial{config: everything(in.Config), want: fmt.Sprint(part[struct{ Allowed bool }](t, r.Expect).Allowed), observe: func(p scene) string {
		return fmt.Sprint(p.seen([]string{in.Tool}, func(c *gavel.Call) { c.Agent.Depth = &in.Depth }) == in.Tool)
	}}
}

// subagentSession compares how deep a session is, and what it loses for that. What the
// store of sessions says is for the host to put into the call.
func subagentSession(t *testing.T, r row) trial {
	in := part[struct {
		SessionKey string
		Config     map[string]any
	}](t, r.Input)
	want, all := part[struct {
		Depth int
		Deny  []string
	}](t, r.Expect), readCatalog(t).names()
	lost := func(name string) bool { return slices.Contains(want.Deny, name) }
	return trial{config: everything(in.Config), want: fmt.Sprintf("depth %d without %s", want.Depth, passing(all, lost)), observe: func(p scene) string {
		call := p.owners(func(c *gavel.Call) { c.Session.Key = in.SessionKey })
		facts, err := p.Observe(p.t.Context(), call)
		if err != nil {
			return err.Error()
		}
		visible := strings.Fields(p.seen(all, func(c *gavel.Call) { c.Session.Key = in.SessionKey }))
		return fmt.Sprintf("depth %d without %s", facts.Agent.Depth, passing(all, func(name string) bool { return !slices.Contains(visible, name) }))
	}}
}
