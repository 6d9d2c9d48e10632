package gemini_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts/gemini"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, gemini.Host()) }

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, gemini.Host()) }

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, gemini.Host()) }

func calls(t *testing.T, text string) []gavel.Call {
	t.Helper()
	p := hosttest.Payload(t, text)
	assert.True(t, gemini.Host().Detect(p))
	r, err := gemini.Host().Read(p)
	require.NoError(t, err)
	return r.Calls
}

// payload is a BeforeTool payload of a tool.
func payload(tool, input, more string) string {
	return `{"session_id":"s1","transcript_path":"/t","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"2026-11-22T13:09:35.322Z",` +
		`"tool_name":"` + tool + `","tool_input":` + input + more + `}`
}

func TestEveryURLOfAPromptIsJudged(t *testing.T) {
	list := calls(t, payload("web_fetch", `{"prompt":"Compare https://a.test/x. with (http://b.test:8080/y) and HTTPS://169.254.169.254/latest"}`, ""))
	var urls []any
	for _, call := range list {
		assert.Equal(t, "web_fetch", call.Tool.Name)
		urls = append(urls, call.Tool.Params["url"])
	}
	for _, want := range []string{"https://a.test/x", "http://b.test:8080/y", "HTTPS://169.254.169.254/latest"} {
		assert.Contains(t, urls, want)
	}
	assert.NotEmpty(t, calls(t, payload("web_fetch", `{"prompt":"look at a.test"}`, ""))[0].Tool.Unread, "nobody knows what it fetches")
}

func TestACommandHasItsDirectoryAndTheProjectIsTheWorkspace(t *testing.T) {
	call := calls(t, payload("run_shell_command", `{"command":"ls","dir_path":"sub","description":"d","is_background":true}`, ""))[0]
	assert.Equal(t, map[string]any{"command": "ls", "workdir": "sub", "background": true}, call.Tool.Params)
	assert.Equal(t, &gavel.Environment{Cwd: "/w", Workspace: "/w", Shell: "bash"}, call.Environment)
}

func TestAnMCPToolIsNamedByItsContext(t *testing.T) {
	call := calls(t, payload("mcp_a_b_c", `{"q":1}`, `,"mcp_context":{"server_name":"a_b","tool_name":"c"}`))[0]
	assert.Equal(t, "mcp:a_b/c", call.Tool.Name)
	assert.Empty(t, call.Tool.Unread)
	assert.NotEmpty(t, calls(t, payload("mcp_a_b_c", `{"q":1}`, ""))[0].Tool.Unread)
	call = calls(t, payload("read_file", `{"file_path":"/a"}`, `,"mcp_context":{"server_name":"fs","tool_name":"read_file"}`))[0]
	assert.Equal(t, "mcp:fs/read_file", call.Tool.Name, "the name of a tool of the host does not make it one")
}
