package qwen_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/hosttest"
	"gavel/hosts/qwen"
)

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, qwen.Host()) }

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, qwen.Host()) }

func calls(t *testing.T, text string) []gavel.Call {
	t.Helper()
	p := hosttest.Payload(t, text)
	assert.True(t, qwen.Host().Detect(p))
	r, err := qwen.Host().Read(p)
	require.NoError(t, err)
	return r.Calls
}

// payload is a PreToolUse payload of a tool.
func payload(tool, input string) string {
	return `{"session_id":"s1","transcript_path":"/t","cwd":"/w","hook_event_name":"PreToolUse","timestamp":"2026-11-22T13:04:13.065Z","permission_mode":"yolo",` +
		`"tool_name":"` + tool + `","tool_input":` + input + `}`
}

func TestAWrappedCallIsReadAsTheInnerCall(t *testing.T) {
	call := calls(t, payload("tool_call", `{"name":"run_shell_command","arguments":{"command":"ls","timeout":2000}}`))[0]
	assert.Equal(t, gavel.Tool{Name: "exec", Params: map[string]any{"command": "ls", "timeout": 2.0}}, call.Tool)
	assert.Equal(t, "mcp:fs/read", calls(t, payload("tool_call", `{"name":"mcp__fs__read","arguments":{}}`))[0].Tool.Name)
	for about, input := range map[string]string{
		"a wrapper in a wrapper":            `{"name":"tool_call","arguments":{"name":"ls","arguments":{}}}`,
		"no name":                           `{"arguments":{"command":"ls"}}`,
		"parameters that are not an object": `{"name":"run_shell_command","arguments":"ls"}`,
	} {
		assert.NotEmpty(t, calls(t, payload("tool_call", input))[0].Tool.Unread, about)
	}
}

func TestNoCommandIsRewritten(t *testing.T) {
	h := qwen.Host()
	r, err := h.Read(hosttest.Payloads(t)["PreToolUse.run_shell_command.json"])
	require.NoError(t, err)
	assert.False(t, r.Rewrites)
	reply := h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "r", Run: []string{"'/bin/true'"}})
	assert.NotContains(t, string(reply.Stdout), "updatedInput")
}
