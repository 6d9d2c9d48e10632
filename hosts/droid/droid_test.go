package droid_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/droid"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsPublished(t *testing.T) { hosttest.Golden(t, droid.Host()) }

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, droid.Host()) }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, droid.Host()) }

func read(t *testing.T, tool, input string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, `{"session_id":"s1","transcript_path":"/home/u/.factory/s","cwd":"/w","permission_mode":"default",`+
		`"hook_event_name":"PreToolUse","tool_name":"`+
		tool+`","tool_input":`+input+`}`)
	require.True(t, droid.Host().Detect(p))
	r, err := droid.Host().Read(p)
	require.NoError(t, err)
	return r
}

func TestToolsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		tool, input string
		want        gavel.Tool
	}{
		"an edit": {"Edit", `{"file_path":"/a","old_str":"x","new_str":"y"}`,
			gavel.Tool{Name: "edit", Params: map[string]any{"path": "/a", "oldText": "x", "newText": "y"}}},
		"a listing of a directory": {"LS", `{}`, gavel.Tool{Name: "read", Params: map[string]any{"path": "/w"}}},
		"a search":                 {"Grep", `{"pattern":"x","path":"/a"}`, gavel.Tool{Name: "read", Params: map[string]any{"path": "/a"}}},
		"a page":                   {"FetchUrl", `{"url":"https://a.test/"}`, gavel.Tool{Name: "web_fetch", Params: map[string]any{"url": "https://a.test/"}}},
		"an MCP tool":              {"mcp__db__query", `{"q":1}`, gavel.Tool{Name: "mcp:db/query", Params: map[string]any{"q": 1.0}}},
	} {
		r := read(t, c.tool, c.input)
		require.Len(t, r.Calls, 1)
		assert.Equal(t, c.want, r.Calls[0].Tool, about)
		assert.Equal(t, "default", r.Calls[0].Host.Mode, about)
	}
}

func TestEachPatternOfASearchIsARead(t *testing.T) {
	r := read(t, "Glob", `{"patterns":["src/*.go","/etc/*"],"folder":"/a"}`)
	require.Len(t, r.Calls, 2)
	assert.Equal(t, "/a/src", r.Calls[0].Tool.Params["path"])
	assert.Equal(t, "/etc", r.Calls[1].Tool.Params["path"])
	assert.Equal(t, "/w", read(t, "Glob", `{"patterns":"*.go"}`).Calls[0].Tool.Params["path"])
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, c := range map[string][2]string{
		"no command":                       {"Execute", `{}`},
		"an unknown parameter":             {"Execute", `{"command":"ls","env":{}}`},
		"parameters that are a list":       {"Read", `["/etc/passwd"]`},
		"patterns that nobody can read":    {"Glob", `{"patterns":[7]}`},
		"no pattern":                       {"Glob", `{"folder":"/a"}`},
		"an MCP tool without a server":     {"mcp__x", `{}`},
		"MCP parameters that are a list":   {"mcp__db__query", `[]`},
		"the name of one of Gavel's tools": {"exec", `{"command":"ls"}`},
	} {
		assert.NotEmpty(t, read(t, c[0], c[1]).Calls[0].Tool.Unread, about)
	}
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	for event, none := range map[string]bool{"SessionStart": true, "PostToolUse": true, "BeforeTool": false} {
		text := `{"session_id":"s","transcript_path":"/home/u/.factory/s","cwd":"/w","hook_event_name":"` + event + `"`
		if event != "SessionStart" {
			text += `,"tool_name":"Execute","tool_input":{"command":"ls"}`
		}
		r, err := droid.Host().Read(hosttest.Payload(t, text+"}"))
		assert.Equal(t, none, r.NoOpinion, event)
		assert.Equal(t, none, err == nil, event)
	}
}
