package claudecode_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/claudecode"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, claudecode.Host()) }

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, claudecode.Host()) }

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, claudecode.Host()) }

// payload is a PreToolUse payload of a tool.
func payload(tool, input string) string {
	return `{"session_id":"s1","transcript_path":"/t","cwd":"/w","permission_mode":"default","hook_event_name":"PreToolUse",` +
		`"tool_name":"` + tool + `","tool_input":` + input + `}`
}

func calls(t *testing.T, text string) []gavel.Call {
	t.Helper()
	r, err := claudecode.Host().Read(hosttest.Payload(t, text))
	require.NoError(t, err)
	return r.Calls
}

func TestToolsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		tool, input string
		as          string
		want        map[string]any
	}{
		"a search for names":          {"Glob", `{"pattern":"**/*.go"}`, "read", map[string]any{"path": "/w"}},
		"a pattern below a directory": {"Glob", `{"pattern":"src/*.go","path":"/p"}`, "read", map[string]any{"path": "/p/src"}},
		"an absolute pattern":         {"Glob", `{"pattern":"/etc/**"}`, "read", map[string]any{"path": "/etc"}},
		"a pattern that goes up":      {"Glob", `{"pattern":"../x/*"}`, "read", map[string]any{"path": "/w/../x"}},
		"a search in files":           {"Grep", `{"pattern":"TODO","-n":true}`, "read", map[string]any{"path": "/w"}},
		"a notebook is edited":        {"NotebookEdit", `{"notebook_path":"/w/a.ipynb","new_source":"x"}`, "edit", map[string]any{"path": "/w/a.ipynb", "newText": "x"}},
		"a URL is fetched":            {"WebFetch", `{"url":"https://a.test/","prompt":"p"}`, "web_fetch", map[string]any{"url": "https://a.test/"}},
		"a skill spawns":              {"Skill", `{"skill":"review"}`, "sessions_spawn", map[string]any{"skill": "review"}},
		"an unlisted tool":            {"ListAgents", `{"q":"x"}`, "ListAgents", map[string]any{"q": "x"}},
		"null is as good as missing":  {"Read", `{"file_path":"/a","limit":null}`, "read", map[string]any{"path": "/a"}},
		"a limit in milliseconds":     {"Bash", `{"command":"ls","timeout":1500,"description":"d"}`, "exec", map[string]any{"command": "ls", "timeout": 1.5}},
	} {
		t.Run(about, func(t *testing.T) {
			list := calls(t, payload(c.tool, c.input))
			require.Len(t, list, 1)
			assert.Equal(t, gavel.Tool{Name: c.as, Params: c.want}, list[0].Tool)
		})
	}
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, c := range map[string][2]string{
		"no command":                            {"Bash", `{}`},
		"a command that is a list":              {"Bash", `{"command":["ls"]}`},
		"an unknown parameter":                  {"Bash", `{"command":"ls","shell":"sh"}`},
		"a flag that is text":                   {"Bash", `{"command":"ls","run_in_background":"yes"}`},
		"parameters that are a list":            {"Read", `["/etc/passwd"]`},
		"another host's parameter":              {"Read", `{"path":"/a"}`},
		"a pattern that goes up behind a star":  {"Glob", `{"pattern":"*/../../etc/*"}`},
		"a pattern with an absolute choice":     {"Glob", `{"pattern":"{/etc,src}/*"}`},
		"a pattern with a slash in brackets":    {"Glob", `{"pattern":"[/]etc/*"}`},
		"a pattern with a slash that is marked": {"Glob", `{"pattern":"\\\\/etc/*"}`},
		"the name of one of Gavel's tools":      {"exec", `{"command":"ls"}`},
		"a name in another case":                {"BASH", `{"command":"ls"}`},
		"a name with a blank":                   {"Bash ", `{"command":"ls"}`},
		"a name of an MCP tool of Gavel's":      {"mcp:github/read", `{}`},
		"the name of a group":                   {"group:fs", `{}`},
		"a pattern":                             {"*", `{}`},
		"an MCP tool without a server":          {"mcp__x", `{}`},
		"an MCP name with two readings":         {"mcp__a__b__c", `{}`},
	} {
		t.Run(about, func(t *testing.T) {
			list := calls(t, payload(c[0], c[1]))
			require.Len(t, list, 1)
			assert.NotEmpty(t, list[0].Tool.Unread)
		})
	}
}

func TestAnMCPToolHasTheServerThatTheHostNames(t *testing.T) {
	for about, c := range map[string][3]string{
		"the name is split":                {"mcp__github__create_issue", "", "mcp:github/create_issue"},
		"the host names the server":        {"mcp__a__b__c", "a__b", "mcp:a__b/c"},
		"signs of the server are replaced": {"mcp__plugin_x_y__do", "plugin:x:y", "mcp:plugin:x:y/do"},
	} {
		t.Run(about, func(t *testing.T) {
			text := payload(c[0], `{"q":1}`)
			if c[1] != "" {
				text = text[:len(text)-1] + `,"mcp_server":{"name":"` + c[1] + `"}}`
			}
			list := calls(t, text)
			assert.Empty(t, list[0].Tool.Unread)
			assert.Equal(t, c[2], list[0].Tool.Name)
			assert.Equal(t, map[string]any{"q": 1.0}, list[0].Tool.Params)
		})
	}
}

func TestACallStatesSessionDirectoryAndMode(t *testing.T) {
	p := hosttest.Payloads(t)["PreToolUse.Bash.subagent.json"]
	r, err := claudecode.Host().Read(p)
	require.NoError(t, err)
	r.Complete(hosts.ProcessInfo{User: "alice", Home: "/home/alice", Path: []string{"/usr/bin"}, Shell: "zsh", Workspace: "/RUN", Platform: "linux"})
	call := r.Calls[0]
	assert.Equal(t, "claude-code", call.Agent.ID)
	assert.Equal(t, []gavel.Parent{{ID: "claude-code"}}, call.Agent.Parents)
	assert.Equal(t, "claude-code:4454e12f-3035-4fe3-b4bb-0adf0313c20f", call.Session.Key)
	assert.Equal(t, &gavel.Sender{Channel: "claude-code", ID: "alice", Username: "alice"}, call.Sender)
	assert.Equal(t, &gavel.Environment{Cwd: "/RUN/work", Home: "/home/alice", Workspace: "/RUN", Path: []string{"/usr/bin"}, Platform: "linux",
		Shell: "zsh"}, call.Environment)
	assert.Equal(t, gavel.Host{Name: "claude-code", Event: "PreToolUse", Mode: "default"}, call.Host)

	list := calls(t, payload("Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`))
	assert.True(t, list[0].Host.Unsandboxed)
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	for event, none := range map[string]bool{"SessionStart": true, "PostToolUse": true, "Stop": true, "PreToolUse2": false} {
		text := `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"` + event + `"`
		if !none || event == "PostToolUse" {
			text += `,"tool_name":"Bash","tool_input":{"command":"ls"}`
		}
		r, err := claudecode.Host().Read(hosttest.Payload(t, text+"}"))
		assert.Equal(t, none, r.NoOpinion, event)
		assert.Equal(t, !none, err != nil, event)
	}
}

func TestAPayloadWithoutASessionOrDirectoryIsRefused(t *testing.T) {
	for _, text := range []string{
		`{"hook_event_name":"PreToolUse","transcript_path":"/t","cwd":"/w","session_id":"a:group:b","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"hook_event_name":"PreToolUse","transcript_path":"/t","cwd":"w","session_id":"a","tool_name":"Bash","tool_input":{"command":"ls"}}`,
		`{"hook_event_name":"PreToolUse","transcript_path":"/t","cwd":"/w","session_id":"a","tool_input":{"command":"ls"}}`,
	} {
		_, err := claudecode.Host().Read(hosttest.Payload(t, text))
		assert.Error(t, err, text)
	}
}
