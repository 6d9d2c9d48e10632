package analyzer_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
)

func facts(t *testing.T, call gavel.Call) gavel.Facts {
	t.Helper()
	return newAnalyzer(t).Analyze(t.Context(), call, nil)
}

func TestNewRefusesNonsense(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]analyzer.Config{
		"Host is missing":        {},
		"Tables is not complete": {Host: emptyHost{}, Tables: analyzer.Tables{Aliases: shippedTables(t).Aliases}},
		"Home is \"home\"":       {Host: emptyHost{}, Tables: shippedTables(t), Home: "home"},
		"Cwd is \"./x\"":         {Host: emptyHost{}, Tables: shippedTables(t), Cwd: "./x"},
	} {
		_, err := analyzer.New(config)
		assert.ErrorContains(t, err, name)
	}
}

func TestZeroCallHasEveryMember(t *testing.T) {
	t.Parallel()
	got := facts(t, gavel.Call{})
	assert.Equal(t, gavel.Facts{
		Agent:         gavel.AgentFacts{Parents: []gavel.ParentFacts{}},
		Message:       gavel.MessageFacts{Directives: []gavel.DirectiveFacts{}},
		SessionValues: gavel.SessionValuesFacts{Others: []gavel.StoredValues{}},
		Process:       gavel.ProcessFacts{Keys: []string{}},
		Sender:        gavel.SenderFacts{Also: []string{}},
		Group:         gavel.GroupFacts{IDs: []string{}},
		Environment:   gavel.EnvironmentFacts{PathPrepend: []string{}},
		Tool:          gavel.ToolFacts{Params: map[string]any{}, Parameters: []string{}, Odd: []string{}, Misfits: []gavel.Misfit{}},
		Touches:       []gavel.Touch{},
		Exceeded:      []string{},
		Plugins:       map[string][]string{},
		Resources:     []gavel.Resource{},
		NamedFiles:    []gavel.NamedFile{},
		URLs:          []gavel.WebURL{},
		ApprovalsFile: gavel.ApprovalsFileFacts{Settings: []gavel.ApprovalsFileSetting{}},
		Verification:  gavel.VerificationFacts{Answers: []gavel.VerifierAnswer{}},
	}, got)
}

func TestToolNames(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		" BASH ":      "exec",
		"exec":        "exec",
		"apply-patch": "apply_patch",
		"Apply_Patch": "apply_patch",
		"READ":        "read",
		"web-search":  "web-search",
		"BAS\u212a":   "BAS\u212a", // the Kelvin sign is not a k
		"\u212aILL":   "\u212aILL",
		"ex\u0435c":   "ex\u0435c", // a Cyrillic e
		"exec\u200b":  "exec\u200b",
		"\uff45xec":   "\uff45xec",
		"":            "",
	} {
		got := facts(t, gavel.Call{Tool: gavel.Tool{Name: given, Plugin: " Lobster "}}).Tool
		assert.Equal(t, want, got.Name, "%q", given)
		assert.Equal(t, given, got.Given)
		assert.Equal(t, "lobster", got.Plugin)
	}
}

func TestPlugins(t *testing.T) {
	t.Parallel()
	got := facts(t, gavel.Call{Environment: &gavel.Environment{Plugins: map[string][]string{
		" Lobster": {"b", " A ", "a", "", " "}, "lobster": {"c"}, " ": {"x"}, "empty": nil,
	}}}).Plugins
	assert.Equal(t, map[string][]string{"lobster": {"a", "b", "c"}, "empty": {}}, got)
}

func TestDepth(t *testing.T) {
	t.Parallel()
	depth := func(n int) *int { return &n }
	parents := []gavel.Parent{{ID: " Child "}, {ID: "main"}}
	for name, tc := range map[string]struct {
		agent gavel.Agent
		key   string
		want  int
	}{
		"nothing said is the top":                       {gavel.Agent{}, "", 0},
		"the depth that is said":                        {gavel.Agent{Depth: depth(3)}, "", 3},
		"parents show more than is said":                {gavel.Agent{Depth: depth(1), Parents: parents}, "", 2},
		"the session key shows more than is said":       {gavel.Agent{Depth: depth(0)}, "agent:main:SUBAGENT:7", 1},
		"every marker of the session key counts":        {gavel.Agent{}, "agent:main:subagent:7:subagent:8", 2},
		"markers side by side count":                    {gavel.Agent{}, "agent:main:subagent:subagent:8", 2},
		"a key may begin with the marker":               {gavel.Agent{}, " subagent:7", 1},
		"an id that looks like a marker does not count": {gavel.Agent{}, "agent:main:subagent", 0},
		"a negative depth is none":                      {gavel.Agent{Depth: depth(-5)}, "", 0},
	} {
		tc.agent.ID = " Main "
		got := facts(t, gavel.Call{Agent: tc.agent, Session: gavel.Session{Key: tc.key}}).Agent
		assert.Equal(t, tc.want, got.Depth, name)
		assert.Equal(t, "main", got.ID, name)
	}
	got := facts(t, gavel.Call{Agent: gavel.Agent{Parents: append(parents, parents...), Depth: depth(3), MaxDepth: depth(2)}}).Agent
	assert.Equal(t, []gavel.ParentFacts{{ID: "child", Depth: 3}, {ID: "main", Depth: 2}, {ID: "child", Depth: 1}, {ID: "main", Depth: 0}}, got.Parents)
	assert.Equal(t, 2, got.MaxDepth)
}

func TestSender(t *testing.T) {
	t.Parallel()
	got := facts(t, gavel.Call{Sender: &gavel.Sender{Channel: " Discord", ID: " @Alice ", Name: "ALICE Ä", Username: "@Alice99",
		Tag: "Alice#1", From: "Alice@Corp", E164: " +1555 ", Owner: true}}).Sender
	assert.Equal(t, gavel.SenderFacts{Channel: "discord", ID: "@alice", Also: []string{}, Name: "alice ä", Username: "alice99",
		Tag: "alice#1", From: "alice@corp", E164: "+1555", Owner: true}, got)
	got = facts(t, gavel.Call{Sender: &gavel.Sender{ID: "\u212aate", Name: "\u0130da"}}).Sender
	assert.Equal(t, "\u212aate", got.ID, "a Kelvin sign never becomes a k")
	assert.Equal(t, "\u0130da", got.Name, "a dotted I never becomes an i")
}

func TestGroups(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		group   gavel.Group
		key     string
		channel string
		ids     []string
	}{
		"nothing said":                    {gavel.Group{}, "agent:main:main", "", []string{}},
		"a plain id":                      {gavel.Group{Channel: " Discord ", ID: " G1 "}, "", "discord", []string{"G1"}},
		"a topic answers to its group":    {gavel.Group{ID: "G:topic:T"}, "", "elsewhere", []string{"G:topic:T", "G"}},
		"a sender answers to its group":   {gavel.Group{ID: "G:sender:S"}, "", "elsewhere", []string{"G:sender:S", "G"}},
		"a sender in a topic has three":   {gavel.Group{ID: "G:TOPIC:T:Sender:S"}, "", "elsewhere", []string{"G:TOPIC:T:Sender:S", "G:TOPIC:T", "G"}},
		"a marker without text is none":   {gavel.Group{ID: "G:topic:"}, "", "elsewhere", []string{"G:topic:"}},
		"the session key names a group":   {gavel.Group{}, "agent:main:Discord:group:G1", "discord", []string{"G1"}},
		"the session key names a channel": {gavel.Group{}, "agent:main:slack:channel:C1:thread:9", "slack", []string{"C1"}},
		"an id may have colons":           {gavel.Group{}, "agent:main:x:group:a:b:topic:3", "x", []string{"a:b:topic:3", "a:b"}},
		"a subagent part is skipped":      {gavel.Group{}, "agent:main:subagent:x:group:g", "x", []string{"g"}},
		"the group comes before the key":  {gavel.Group{Channel: "y", ID: "h"}, "agent:main:x:group:g", "y", []string{"h", "g"}},
		"ids are not repeated":            {gavel.Group{ID: "g"}, "agent:main:X:Group:g", "x", []string{"g"}},
		"a direct message is not a group": {gavel.Group{}, "agent:main:x:direct:u", "", []string{}},
	} {
		got := facts(t, gavel.Call{Group: tc.group, Session: gavel.Session{Key: tc.key},
			Sender: &gavel.Sender{Channel: "elsewhere"}}).Group
		assert.Equal(t, tc.channel, got.Channel, name)
		assert.Equal(t, tc.ids, got.IDs, name)
	}
}

func TestModels(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ given, want gavel.Model }{
		"provider and id":                      {gavel.Model{Provider: "OpenAI", ID: "gpt-5.2"}, gavel.Model{Provider: "openai", ID: "gpt-5.2"}},
		"a router's id keeps its slash":        {gavel.Model{Provider: "openrouter", ID: "openai/gpt-5.4"}, gavel.Model{Provider: "openrouter", ID: "openai/gpt-5.4"}},
		"a provider with a slash is split":     {gavel.Model{Provider: "openrouter/openai", ID: "gpt-5.4"}, gavel.Model{Provider: "openrouter", ID: "openai/gpt-5.4"}},
		"what is in both is there once":        {gavel.Model{Provider: "openrouter/openai", ID: "openai/gpt-5.4"}, gavel.Model{Provider: "openrouter", ID: "openai/gpt-5.4"}},
		"everything in the provider":           {gavel.Model{Provider: "openrouter/openai/gpt-5.4"}, gavel.Model{Provider: "openrouter", ID: "openai/gpt-5.4"}},
		"an id alone begins with its provider": {gavel.Model{ID: "openrouter/openai/gpt-5.4"}, gavel.Model{Provider: "openrouter", ID: "openrouter/openai/gpt-5.4"}},
	} {
		got := facts(t, gavel.Call{Model: tc.given}).Model
		assert.Equal(t, gavel.ModelFacts{Provider: tc.want.Provider, ID: tc.want.ID}, got, name)
	}
}

func TestSession(t *testing.T) {
	t.Parallel()
	got := facts(t, gavel.Call{
		Session: gavel.Session{Key: " Agent:Main:Main ", Elevated: " OFF", Exec: gavel.SessionExec{
			Security: " Deny ", Ask: "ALWAYS", Host: "Node", Node: " Mac-1"}},
		Message: gavel.Message{Inline: gavel.Inline{Elevated: " Full"}},
		Model:   gavel.Model{Provider: " OpenAI ", ID: "GPT"},
	})
	assert.Equal(t, gavel.SessionFacts{Key: "agent:main:main", Elevated: "off", Inline: "full",
		Exec: gavel.SessionExecFacts{Security: "deny", Ask: "always", Host: "node", Node: "mac-1"}}, got.Session)
	assert.Equal(t, gavel.ModelFacts{Provider: "openai", ID: "gpt"}, got.Model)
}

func TestExecParameters(t *testing.T) {
	t.Parallel()
	exec := func(params map[string]any) *gavel.ExecFacts {
		return facts(t, gavel.Call{Tool: gavel.Tool{Name: "bash", Params: params},
			Environment: &gavel.Environment{Cwd: " /srv/app/ "}}).Exec
	}
	got := exec(map[string]any{"command": "ls", "workdir": " sub ", "yieldMs": 10.0, "background": true, "timeout": 5.0, "pty": false,
		"host": " Gateway ", "security": "FULL", "ask": "Off", "node": "N", "elevated": true,
		"env": map[string]any{"b_2": "x", " a ": "y", "A": "z"}})
	assert.Empty(t, got.Unknown)
	assert.Equal(t, []string{"A", "B_2"}, got.Env)
	assert.Equal(t, "/srv/app/sub", got.Workdir)
	assert.Equal(t, gavel.ExecRequest{Host: "gateway", Security: "full", Ask: "off", Node: "n", Elevated: true}, got.Request)

	for name, tc := range map[string]struct {
		params  map[string]any
		unknown []string
	}{
		"a parameter of another name": {map[string]any{"command": "ls", "Command": "id", "cmd": ""}, []string{"Command", "cmd"}},
		"every wrong type": {map[string]any{"command": "ls", "workdir": 1.0, "env": "A=1", "yieldMs": "1", "background": 1.0, "timeout": "5",
			"pty": "no", "host": true, "security": nil, "ask": 0.0, "node": []any{}, "elevated": "true"},
			[]string{"ask", "background", "elevated", "env", "host", "node", "pty", "security", "timeout", "workdir", "yieldMs"}},
		"a variable that is not a string": {map[string]any{"command": "ls", "env": map[string]any{"A": 1.0}}, []string{"env"}},
		"a variable with a strange name":  {map[string]any{"command": "ls", "env": map[string]any{"A": "", "B-C": "", "1D": ""}}, []string{"env"}},
		"a variable without a name":       {map[string]any{"command": "ls", "env": map[string]any{" ": ""}}, []string{"env"}},
		"a variable with a look-alike":    {map[string]any{"command": "ls", "env": map[string]any{"\u017fA": ""}}, []string{"env"}},
	} {
		assert.Equal(t, tc.unknown, exec(tc.params).Unknown, name)
	}
	assert.Empty(t, exec(map[string]any{"command": "ls", "workdir": 1.0}).Workdir, "a wrong working directory is not the usual one")

	for name, params := range map[string]map[string]any{
		"no command":                 {},
		"a blank command":            {"command": " \n"},
		"a command that is not text": {"command": []any{"ls"}},
	} {
		got := exec(params)
		require.NotNil(t, got.Refusal, name)
		assert.Equal(t, "parameters", got.Refusal.Kind, name)
		assert.False(t, got.Parsed, name)
	}
	assert.Nil(t, facts(t, gavel.Call{Tool: gavel.Tool{Name: "read", Params: map[string]any{"command": "ls"}}}).Exec)
}

func TestWorkdir(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ cwd, workdir, want string }{
		"absolute":                    {"/srv", " /a/../b/ ", "/b"},
		"relative":                    {"/srv", "x/./y", "/srv/x/y"},
		"relative to nothing known":   {"", "x", ""},
		"relative to a relative path": {"srv", "x", ""},
		"blank is the environment's":  {"/srv", "  ", "/srv"},
		"a tilde is not expanded":     {"/srv", "~/x", ""},
	} {
		got := facts(t, gavel.Call{Environment: &gavel.Environment{Cwd: tc.cwd},
			Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "ls", "workdir": tc.workdir}}}).Exec
		assert.Equal(t, tc.want, got.Workdir, name)
	}
}
