package vscode_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/hosttest"
	"gavel/hosts/vscode"
)

func TestPayloadsAndAnswersAreAsDocumented(t *testing.T) { hosttest.Golden(t, vscode.Host()) }

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, vscode.Host()) }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, vscode.Host()) }

func read(t *testing.T, tool, input string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, `{"timestamp":"2026-02-09T10:30:00.000Z","cwd":"/w","sessionId":"s1","hookEventName":"PreToolUse",`+
		`"transcript_path":"/t","tool_name":"`+
		tool+`","tool_input":`+input+`,"tool_use_id":"t"}`)
	require.True(t, vscode.Host().Detect(p))
	r, err := vscode.Host().Read(p)
	require.NoError(t, err)
	return r
}

func TestToolsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		tool, input string
		want        []gavel.Tool
	}{
		"several files are several edits": {"editFiles", `{"files":["a.ts","/x/b.ts"]}`,
			[]gavel.Tool{{Name: "edit", Params: map[string]any{"path": "/w/a.ts"}}, {Name: "edit", Params: map[string]any{"path": "/x/b.ts"}}}},
		"several replacements are several edits": {"multi_replace_string_in_file",
			`{"explanation":"e","replacements":[{"filePath":"/a","oldString":"x","newString":"y"},` +
				`{"filePath":"/b","oldString":"x","newString":"y"}]}`,
			[]gavel.Tool{{Name: "edit", Params: map[string]any{"path": "/a", "oldText": "x", "newText": "y"}},
				{Name: "edit", Params: map[string]any{"path": "/b", "oldText": "x", "newText": "y"}}}},
		"every page is fetched": {"fetch_webpage", `{"urls":["https://a.test/","https://b.test/"],"query":"q"}`,
			[]gavel.Tool{{Name: "web_fetch", Params: map[string]any{"url": "https://a.test/"}},
				{Name: "web_fetch", Params: map[string]any{"url": "https://b.test/"}}}},
		"a search reads the workspace": {"grep_search", `{"query":"x","isRegexp":true}`,
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/w"}}}},
		"a command": {"run_in_terminal", `{"command":"ls","explanation":"e","isBackground":true}`,
			[]gavel.Tool{{Name: "exec", Params: map[string]any{"command": "ls", "background": true}}}},
		"an unlisted tool keeps its name": {"mcp_github_get_issue", `{"n":1}`,
			[]gavel.Tool{{Name: "mcp_github_get_issue", Params: map[string]any{"n": 1.0}}}},
	} {
		var got []gavel.Tool
		for _, call := range read(t, c.tool, c.input).Calls {
			got = append(got, call.Tool)
		}
		assert.Equal(t, c.want, got, about)
	}
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, c := range map[string][2]string{
		"no files":                         {"editFiles", `{"files":[]}`},
		"files that are not a list":        {"editFiles", `{"files":"a.ts"}`},
		"a file that is not text":          {"editFiles", `{"files":[7]}`},
		"an unknown parameter":             {"editFiles", `{"files":["a"],"to":"b"}`},
		"a replacement without a file":     {"multi_replace_string_in_file", `{"replacements":[{"oldString":"x","newString":"y"}]}`},
		"a command that is missing":        {"runInTerminal", `{}`},
		"the name of one of Gavel's tools": {"exec", `{"command":"ls"}`},
	} {
		assert.NotEmpty(t, read(t, c[0], c[1]).Calls[0].Tool.Unread, about)
	}
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	for event, none := range map[string]bool{"SessionStart": true, "PostToolUse": true, "BeforeTool": false, "PreToolUse": false} {
		text := `{"cwd":"/w","sessionId":"s","hookEventName":"` + event + `"`
		if event != "SessionStart" && event != "PreToolUse" {
			text += `,"tool_name":"runInTerminal","tool_input":{"command":"ls"}`
		}
		r, err := vscode.Host().Read(hosttest.Payload(t, text+"}"))
		assert.Equal(t, none, r.NoOpinion, event)
		assert.Equal(t, none, err == nil, event)
	}
}
