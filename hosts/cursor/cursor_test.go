package cursor_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/cursor"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, cursor.Host()) }

func TestNoDenyEndsInARun(t *testing.T) { hosttest.Effects(t, cursor.Host()) }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, cursor.Host()) }

// payload is a payload of an event with these members.
func payload(event, members string) string {
	return `{"conversation_id":"c1","workspace_roots":["/w"],"hook_event_name":"` + event + `"` + members + `}`
}

func read(t *testing.T, text string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, text)
	require.True(t, cursor.Host().Detect(p))
	r, err := cursor.Host().Read(p)
	require.NoError(t, err, text)
	return r
}

func TestEventsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		text string
		want gavel.Tool
	}{
		"a search reads its directory": {payload("preToolUse", `,"tool_name":"Grep","tool_input":{"pattern":"x","file_path":"/a"}`),
			gavel.Tool{Name: "read", Params: map[string]any{"path": "/a"}}},
		"a search reads the workspace": {payload("preToolUse", `,"tool_name":"Grep","tool_input":{"pattern":"x"}`),
			gavel.Tool{Name: "read", Params: map[string]any{"path": "/w"}}},
		"a deletion writes": {payload("preToolUse", `,"tool_name":"Delete","tool_input":{"file_path":"/a"}`),
			gavel.Tool{Name: "write", Params: map[string]any{"path": "/a"}}},
		"a file that a completion reads": {payload("beforeTabFileRead", `,"file_path":"/a","content":"x"`),
			gavel.Tool{Name: "read", Params: map[string]any{"path": "/a"}}},
		"an MCP server by its command": {payload("beforeMCPExecution", `,"tool_name":"q","tool_input":"{\"a\":1}","command":"npx -y @x/db"`),
			gavel.Tool{Name: "mcp:npx_-y_@x_db/q", Params: map[string]any{"a": 1.0}}},
		"an MCP server by its address": {payload("beforeMCPExecution", `,"tool_name":"q","tool_input":{"a":1},"url":"https://db.test:8443/mcp"`),
			gavel.Tool{Name: "mcp:db.test:8443/q", Params: map[string]any{"a": 1.0}}},
		"a command without a directory": {payload("beforeShellExecution", `,"command":"ls","cwd":""`),
			gavel.Tool{Name: "exec", Params: map[string]any{"command": "ls"}}},
		"an unlisted tool keeps its name": {payload("preToolUse", `,"tool_name":"TodoWrite","tool_input":{"a":1}`),
			gavel.Tool{Name: "TodoWrite", Params: map[string]any{"a": 1.0}}},
	} {
		r := read(t, c.text)
		require.Len(t, r.Calls, 1, about)
		assert.Equal(t, c.want, r.Calls[0].Tool, about)
		assert.Equal(t, "/w", r.Calls[0].Environment.Cwd, about)
	}
}

func TestToolsWithAHookOfTheirOwnAreJudgedThere(t *testing.T) {
	for _, tool := range []string{"Shell", "Read", "MCP:query"} {
		r := read(t, payload("preToolUse", `,"tool_name":"`+tool+`","tool_input":{"command":"ls"}`))
		assert.True(t, r.NoOpinion, tool)
		assert.Equal(t, `{"permission":"allow"}`+"\n", string(cursor.Host().Answer(r, hosts.Verdict{}).Stdout), "with failClosed, nothing would block")
	}
	for _, tool := range []string{"shell", "Shell ", "Write", "Task", "MCP"} {
		assert.False(t, read(t, payload("preToolUse", `,"tool_name":"`+tool+`","tool_input":{}`)).NoOpinion, tool)
	}
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, text := range map[string]string{
		"a command that is missing":        payload("beforeShellExecution", ``),
		"a command that is not text":       payload("beforeShellExecution", `,"command":["ls"]`),
		"a file that is missing":           payload("beforeReadFile", ``),
		"an unknown parameter":             payload("preToolUse", `,"tool_name":"Write","tool_input":{"path":"/a"}`),
		"parameters that are a list":       payload("preToolUse", `,"tool_name":"Write","tool_input":[]`),
		"an MCP server without a name":     payload("beforeMCPExecution", `,"tool_name":"q","tool_input":"{}"`),
		"MCP parameters that are not JSON": payload("beforeMCPExecution", `,"tool_name":"q","tool_input":"x","command":"s"`),
		"MCP parameters with a name twice": payload("beforeMCPExecution", `,"tool_name":"q","tool_input":"{\"a\":1,\"a\":2}","command":"s"`),
		"the name of one of Gavel's tools": payload("preToolUse", `,"tool_name":"exec","tool_input":{"command":"ls"}`),
		"a name with a blank":              payload("preToolUse", `,"tool_name":"Shell ","tool_input":{"command":"ls"}`),
	} {
		assert.NotEmpty(t, read(t, text).Calls[0].Tool.Unread, about)
	}
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	for event, want := range map[string]string{"stop": "{}", "afterFileEdit": "{}", "postToolUse": "{}",
		"beforeSubmitPrompt": `{"continue":true}`, "sessionStart": "{}"} {
		r := read(t, payload(event, ""))
		assert.True(t, r.NoOpinion, event)
		assert.Equal(t, want+"\n", string(cursor.Host().Answer(r, hosts.Verdict{}).Stdout), event)
	}
	for _, text := range []string{payload("beforeAnything", ""), payload("preAnything", ""), payload("", ""),
		payload("preToolUse", `,"tool_input":{"command":"ls"}`),
		`{"conversation_id":"c1","hook_event_name":"beforeShellExecution","command":"ls","cwd":""}`} {
		_, err := cursor.Host().Read(hosttest.Payload(t, text))
		assert.Error(t, err, text)
	}
}
