package copilot_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/copilot"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, copilot.Host()) }

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, copilot.Host()) }

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, copilot.Host()) }

// payload is a preToolUse payload of a tool.
func payload(tool, input string) string {
	return `{"sessionId":"s1","timestamp":1795352991308,"cwd":"/w","toolName":"` + tool + `","toolArgs":` + input + `}`
}

func read(t *testing.T, text string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, text)
	require.True(t, copilot.Host().Detect(p), text)
	r, err := copilot.Host().Read(p)
	require.NoError(t, err, text)
	return r
}

func TestToolsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		tool, input string
		want        []gavel.Tool
	}{
		"a search reads each directory": {"grep", `{"pattern":"x","paths":["/a","/b"],"-n":true}`,
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/a"}}, {Name: "read", Params: map[string]any{"path": "/b"}}}},
		"a search without a directory reads the working directory": {"grep", `{"pattern":"x"}`,
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/w"}}}},
		"a pattern leads below each directory": {"glob", `{"pattern":"src/*.go","paths":["/a","/b"]}`,
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/a/src"}}, {Name: "read", Params: map[string]any{"path": "/b/src"}}}},
		"an absolute pattern leads elsewhere": {"glob", `{"pattern":"/etc/**"}`,
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/etc"}}}},
		"a file is created": {"create", `{"path":"/a","file_text":"x"}`,
			[]gavel.Tool{{Name: "write", Params: map[string]any{"path": "/a", "content": "x"}}}},
		"a tool of the host's own MCP server": {"github-mcp-server-search-code", `{"q":"x"}`,
			[]gavel.Tool{{Name: "mcp:github-mcp-server/search-code", Params: map[string]any{"q": "x"}}}},
		"a tool of an MCP server": {"fs-write_file", `{"q":"x"}`,
			[]gavel.Tool{{Name: "mcp:fs/write_file", Params: map[string]any{"q": "x"}}}},
		"a name with two readings stays as it is": {"demo-srv-query", `{"q":"x"}`,
			[]gavel.Tool{{Name: "demo-srv-query", Params: map[string]any{"q": "x"}}}},
	} {
		r := read(t, payload(c.tool, c.input))
		var got []gavel.Tool
		for _, call := range r.Calls {
			got = append(got, call.Tool)
		}
		assert.Equal(t, c.want, got, about)
	}
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, text := range map[string]string{
		"no command":                             payload("bash", `{}`),
		"an unknown parameter":                   payload("bash", `{"command":"ls","env":{}}`),
		"a search in no directory":               payload("grep", `{"pattern":"x","paths":[]}`),
		"a search in something that is not text": payload("grep", `{"pattern":"x","paths":[7]}`),
		"a search with unknown parameters":       payload("grep", `{"pattern":"x","follow":true}`),
		"a pattern that goes up":                 payload("glob", `{"pattern":"*/../../etc/*"}`),
		"a pattern that is missing":              payload("glob", `{"paths":"/w"}`),
		"the parameters of Claude Code":          payload("view", `{"file_path":"/a"}`),
		"the name of one of Gavel's tools":       payload("read", `{"path":"/a"}`),
		"a permission in an unknown shape":       `{"hookName":"permissionRequest","sessionId":"s","timestamp":1,"cwd":"/w","toolName":"edit","toolInput":{"path":"/a"}}`,
		"a server without a name":                `{"hookName":"permissionRequest","sessionId":"s","timestamp":1,"cwd":"/w","toolName":"/query","toolInput":{}}`,
	} {
		r := read(t, text)
		require.NotEmpty(t, r.Calls, about)
		assert.NotEmpty(t, r.Calls[0].Tool.Unread, about)
	}
}

func TestParametersThatAreTextAreReadAndNeverRewritten(t *testing.T) {
	r := read(t, payload("bash", `"{\"command\":\"touch ran\"}"`))
	assert.Equal(t, map[string]any{"command": "touch ran"}, r.Calls[0].Tool.Params)
	assert.False(t, r.Rewrites)
	_, err := copilot.Host().Read(hosttest.Payload(t, payload("bash", `"no JSON"`)))
	assert.Error(t, err)
	_, err = copilot.Host().Read(hosttest.Payload(t, payload("bash", `["ls"]`)))
	assert.Error(t, err)
}

func TestASubagentIsAChild(t *testing.T) {
	for about, text := range map[string]string{
		"its call": `{"sessionId":"s2","timestamp":1,"cwd":"/w","toolName":"bash","toolArgs":{"command":"ls"},"agentId":"s2","parentAgentId":"s1"}`,
		"its request for a permission": `{"hookName":"permissionRequest","sessionId":"s2","timestamp":1,"cwd":"/w",` +
			`"toolName":"bash","toolInput":{"command":"ls"},"parent_agent_id":"s1"}`,
		"its call in the other dialect": `{"hook_event_name":"PreToolUse","session_id":"s2","timestamp":"2026-11-22T13:09:54.746Z","cwd":"/w",` +
			`"tool_name":"Bash","tool_input":{"command":"ls"},"agent_id":"s2"}`,
	} {
		r := read(t, text)
		r.Complete(hosts.ProcessInfo{})
		assert.Equal(t, []gavel.Parent{{ID: "copilot-cli"}}, r.Calls[0].Agent.Parents, about)
		assert.Equal(t, "copilot-cli:s2", r.Calls[0].Session.Key, about)
	}
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	for text, none := range map[string]bool{
		`{"sessionId":"s","timestamp":1,"cwd":"/w","source":"new"}`:                                                                                  true,
		`{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"bash","toolArgs":{},"toolResult":{}}`:                                                 true,
		`{"hook_event_name":"PostToolUse","session_id":"s","timestamp":"2026-11-22T13:09:54.746Z","cwd":"/w","tool_name":"Bash","tool_input":{}}`:    true,
		`{"hook_event_name":"SessionStart","session_id":"s","timestamp":"2026-11-22T13:09:54.746Z","cwd":"/w"}`:                                      true,
		`{"hook_event_name":"BeforeAnything","session_id":"s","timestamp":"2026-11-22T13:09:54.746Z","cwd":"/w","tool_name":"Bash","tool_input":{}}`: false,
		`{"sessionId":"s","timestamp":1,"cwd":"/w","toolArgs":{}}`:                                                                                   false,
		`{"sessionId":"s","timestamp":1,"cwd":"w","toolName":"bash","toolArgs":{"command":"ls"}}`:                                                    false,
	} {
		r, err := copilot.Host().Read(hosttest.Payload(t, text))
		assert.Equal(t, none, r.NoOpinion, text)
		assert.Equal(t, none, err == nil, text)
	}
}
