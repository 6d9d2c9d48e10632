package windsurf_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/hosttest"
	"gavel/hosts/windsurf"
)

func TestPayloadsAndAnswersAreAsDocumented(t *testing.T) { hosttest.Golden(t, windsurf.Host()) }

func TestNoDenyEndsInARun(t *testing.T) { hosttest.Effects(t, windsurf.Host()) }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, windsurf.Host()) }

func payload(event, info string) string {
	return `{"agent_action_name":"` + event + `","trajectory_id":"t1","execution_id":"e1","timestamp":"2026-01-15T10:30:00Z","tool_info":` + info + `}`
}

func read(t *testing.T, text string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, text)
	require.True(t, windsurf.Host().Detect(p))
	r, err := windsurf.Host().Read(p)
	require.NoError(t, err, text)
	return r
}

func TestEventsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		text, cwd string
		want      gavel.Tool
	}{
		"a directory is read": {payload("pre_read_code", `{"file_path":"/w/src"}`), "/w", gavel.Tool{Name: "read", Params: map[string]any{"path": "/w/src"}}},
		"an MCP tool": {payload("pre_mcp_tool_use", `{"mcp_server_name":"db","mcp_tool_name":"query","mcp_tool_arguments":{"q":1}}`), "/",
			gavel.Tool{Name: "mcp:db/query", Params: map[string]any{"q": 1.0}}},
		"a command": {payload("pre_run_command", `{"command_line":"ls","cwd":"/w"}`), "/w",
			gavel.Tool{Name: "exec", Params: map[string]any{"command": "ls"}}},
	} {
		r := read(t, c.text)
		require.Len(t, r.Calls, 1)
		assert.Equal(t, c.want, r.Calls[0].Tool, about)
		assert.Equal(t, c.cwd, r.Calls[0].Environment.Cwd, about)
		assert.Equal(t, "windsurf:t1", r.Calls[0].Session.Key, about)
		assert.False(t, r.Asks || r.Rewrites, about)
	}
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, text := range map[string]string{
		"no command":                     payload("pre_run_command", `{"cwd":"/w"}`),
		"a command that is a list":       payload("pre_run_command", `{"command_line":["ls"],"cwd":"/w"}`),
		"an unknown parameter":           payload("pre_run_command", `{"command_line":"ls","cwd":"/w","shell":"sh"}`),
		"MCP parameters that are a list": payload("pre_mcp_tool_use", `{"mcp_server_name":"db","mcp_tool_name":"query","mcp_tool_arguments":[]}`),
		"an MCP tool without a server":   payload("pre_mcp_tool_use", `{"mcp_tool_name":"query","mcp_tool_arguments":{}}`),
	} {
		assert.NotEmpty(t, read(t, text).Calls[0].Tool.Unread, about)
	}
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	for event, none := range map[string]bool{"post_run_command": true, "pre_user_prompt": true, "pre_anything": false, "": false} {
		r, err := windsurf.Host().Read(hosttest.Payload(t, payload(event, `{}`)))
		assert.Equal(t, none, r.NoOpinion, event)
		assert.Equal(t, none, err == nil, event)
	}
	assert.Equal(t, hosts.Reply{}, windsurf.Host().Answer(hosts.Request{NoOpinion: true}, hosts.Verdict{}))
	for _, text := range []string{payload("pre_run_command", `{"command_line":"ls"}`), payload("pre_run_command", `[]`),
		payload("pre_read_code", `{"file_path":"a"}`)} {
		_, err := windsurf.Host().Read(hosttest.Payload(t, text))
		assert.Error(t, err, text)
	}
}
