package opencode_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/hosttest"
	"gavel/hosts/opencode"
)

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func TestEventsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, opencode.Host()) }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, opencode.Host()) }

func event(tool, args, ctx string) string {
	return `{"input":{"tool":"` + tool + `","sessionID":"ses_1","callID":"c1"},"output":{"args":` + args + `},"ctx":{"directory":"/w","worktree":"/w",` + ctx + `}}`
}

const alone = `"parents":[],"mcp":["fs","demo-srv"]`

func read(t *testing.T, text string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, text)
	assert.True(t, opencode.Host().Detect(p))
	r, err := opencode.Host().Read(p)
	require.NoError(t, err)
	require.Len(t, r.Calls, 1)
	return r
}

func TestEventsBecomeCalls(t *testing.T) {
	for about, c := range map[string]struct {
		tool, args string
		want       gavel.Tool
	}{
		"a command":             {"bash", `{"command":"ls","timeout":1000,"workdir":"/w/a","description":"d"}`, gavel.Tool{Name: "exec", Params: map[string]any{"command": "ls", "timeout": 1.0, "workdir": "/w/a"}}},
		"a file to read":        {"read", `{"filePath":"/w/a"}`, gavel.Tool{Name: "read", Params: map[string]any{"path": "/w/a"}}},
		"a pattern reads below": {"glob", `{"pattern":"src/*.go"}`, gavel.Tool{Name: "read", Params: map[string]any{"path": "/w/src"}}},
		"an edit":               {"edit", `{"filePath":"/w/a","oldString":"x","newString":"y"}`, gavel.Tool{Name: "edit", Params: map[string]any{"path": "/w/a", "oldText": "x", "newText": "y"}}},
		"a patch": {"apply_patch", `{"patchText":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`,
			gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}}},
		"an MCP tool":                {"fs_write_file", `{"path":"/x"}`, gavel.Tool{Name: "mcp:fs/write_file", Params: map[string]any{"path": "/x"}}},
		"a server with a dash":       {"demo-srv_query", `{}`, gavel.Tool{Name: "mcp:demo-srv/query", Params: map[string]any{}}},
		"an unlisted tool":           {"todowrite", `{"todos":[]}`, gavel.Tool{Name: "todowrite", Params: map[string]any{"todos": []any{}}}},
		"a tool like one of Gavel's": {"exec", `{}`, gavel.Tool{Name: "exec", Params: map[string]any{}, Unread: "exec is not a tool of this host, but Gavel knows another tool by that name"}},
	} {
		t.Run(about, func(t *testing.T) {
			assert.Equal(t, c.want, read(t, event(c.tool, c.args, alone)).Calls[0].Tool)
		})
	}
}

func TestAmbiguousEventsAreUnread(t *testing.T) {
	for about, text := range map[string]string{
		"an unknown parameter":                  event("bash", `{"command":"ls","shell":"sh"}`, alone),
		"parameters that are a list":            event("bash", `["ls"]`, alone),
		"a patch under another name":            event("apply_patch", `{"input":"*** Begin Patch\n*** End Patch"}`, alone),
		"a server whose tool is named like one": event("web_fetch", `{}`, `"parents":[],"mcp":["web","web_"]`),
		"two servers":                           event("a_b_c", `{}`, `"parents":[],"mcp":["a","a_b"]`),
	} {
		t.Run(about, func(t *testing.T) {
			r := read(t, text)
			if about == "a server whose tool is named like one" {
				assert.Equal(t, "mcp:web/fetch", r.Calls[0].Tool.Name)
				return
			}
			assert.NotEmpty(t, r.Calls[0].Tool.Unread)
		})
	}
}

func TestASubagentIsAChildOfTheMainAgent(t *testing.T) {
	main := read(t, event("bash", `{"command":"ls"}`, alone))
	child := read(t, event("bash", `{"command":"ls"}`, `"parents":["ses_0","ses_9"],"mcp":[]`))
	for _, r := range []*hosts.Request{&main, &child} {
		r.Complete(hosts.ProcessInfo{User: "alice"})
	}
	assert.Empty(t, main.Calls[0].Agent.Parents)
	assert.Equal(t, 0, *main.Calls[0].Agent.Depth)
	assert.Equal(t, []gavel.Parent{{ID: "opencode"}}, child.Calls[0].Agent.Parents)
	assert.Equal(t, 2, *child.Calls[0].Agent.Depth)
	assert.Equal(t, "opencode:ses_1", child.Calls[0].Session.Key)
	assert.Equal(t, "/w", child.Calls[0].Environment.Workspace)
}

func TestAnEventThatThePluginDidNotCompleteIsRefused(t *testing.T) {
	for about, text := range map[string]string{
		"no parents":       event("bash", `{"command":"ls"}`, `"mcp":[]`),
		"no servers":       event("bash", `{"command":"ls"}`, `"parents":[]`),
		"an empty parent":  event("bash", `{"command":"ls"}`, `"parents":[""],"mcp":[]`),
		"no tool":          event("", `{"command":"ls"}`, alone),
		"no session":       `{"input":{"tool":"bash","sessionID":"","callID":"c"},"output":{"args":{}},"ctx":{"directory":"/w","parents":[],"mcp":[]}}`,
		"no directory":     `{"input":{"tool":"bash","sessionID":"s","callID":"c"},"output":{"args":{}},"ctx":{"parents":[],"mcp":[]}}`,
		"not even the ctx": `{"input":{"tool":"bash","sessionID":"s","callID":"c"},"output":{"args":{}}}`,
	} {
		t.Run(about, func(t *testing.T) {
			_, err := opencode.Host().Read(hosttest.Payload(t, text))
			assert.Error(t, err)
		})
	}
}

func TestRecordedEventsAreReadAndAnswered(t *testing.T) {
	for name, p := range hosttest.Payloads(t) {
		t.Run(name, func(t *testing.T) {
			r, err := opencode.Host().Read(p)
			require.NoError(t, err)
			assert.Empty(t, r.Calls[0].Tool.Unread)
			deny := opencode.Host().Answer(r, hosts.Verdict{Reason: hosttest.Reason})
			assert.Equal(t, `{"decision":"deny","reason":"exec.denied: not allowed"}`+"\n", string(deny.Stdout))
			ask := opencode.Host().Answer(r, hosts.Verdict{Effect: gavel.Ask, Reason: "ask"})
			assert.Equal(t, `{"decision":"deny","reason":"ask"}`+"\n", string(ask.Stdout), "a plugin of opencode cannot ask")
			assert.False(t, r.Asks)
			allow := opencode.Host().Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "ok", Run: []string{""}})
			assert.Equal(t, `{"decision":"allow","reason":"ok","args":{}}`+"\n", string(allow.Stdout))
			rewritten := opencode.Host().Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "ok", Run: []string{"'/bin/ls'"}})
			assert.Equal(t, `{"decision":"allow","reason":"ok","args":{"command":"'/bin/ls'"}}`+"\n", string(rewritten.Stdout))
			assert.Contains(t, string(opencode.Host().Fail(p, errors.New("down")).Stdout), `{"decision":"deny","reason":"gavel: not decided`)
		})
	}
}
