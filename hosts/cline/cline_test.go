package cline_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/cline"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, cline.Host()) }

func TestNoDenyEndsInARun(t *testing.T) { hosttest.Effects(t, cline.Host()) }

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, cline.Host()) }

func read(t *testing.T, text string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, text)
	require.True(t, cline.Host().Detect(p))
	r, err := cline.Host().Read(p)
	require.NoError(t, err, text)
	return r
}

// call is a payload of the command line, of a tool.
func call(tool, input string) string {
	return `{"clineVersion":"","taskId":"t1","workspaceRoots":["/w"],"hookName":"tool_call","tool_call":{"id":"1","name":"` + tool + `","input":` + input + `}}`
}

// use is a payload of the extension, of a tool.
func use(tool, parameters string) string {
	return `{"clineVersion":"3","taskId":"t1","workspaceRoots":["/w"],"hookName":"PreToolUse",` +
		`"preToolUse":{"toolName":"` + tool + `","parameters":` + parameters + `}}`
}

func TestSeveralCommandsAreJudgedOneByOneAndRewrittenTogether(t *testing.T) {
	text, err := os.ReadFile("testdata/several/pretooluse-run_commands.json")
	require.NoError(t, err)
	var golden struct {
		Stdin     string `json:"stdin_raw"`
		Canonical struct {
			Calls []struct {
				Params map[string]string
			}
		}
		Answers map[string]struct{ Stdout string }
	}
	require.NoError(t, json.Unmarshal(text, &golden))
	r := read(t, golden.Stdin)
	require.Len(t, r.Calls, len(golden.Canonical.Calls))
	for i, c := range golden.Canonical.Calls {
		assert.Equal(t, "exec", r.Calls[i].Tool.Name)
		assert.Equal(t, c.Params["command"], r.Calls[i].Tool.Params["command"])
		assert.Equal(t, c.Params["workdir"], r.Calls[i].Environment.Cwd)
	}
	v := hosts.Verdict{Effect: gavel.Allow, Reason: "r", Run: []string{"'/usr/bin/touch' 'ran'", "'/usr/bin/echo' 'hi'"}}
	assert.JSONEq(t, golden.Answers["allow_rewritten"].Stdout, string(cline.Host().Answer(r, v).Stdout))
	v.Run[0] = ""
	assert.JSONEq(t, `{"cancel":false,"overrideInput":{"commands":["touch ran","'/usr/bin/echo' 'hi'"]}}`, string(cline.Host().Answer(r, v).Stdout))
	v.Run[1] = ""
	assert.JSONEq(t, golden.Answers["allow"].Stdout, string(cline.Host().Answer(r, v).Stdout))
	assert.JSONEq(t, golden.Answers["deny"].Stdout, string(cline.Host().Answer(r, hosts.Verdict{Reason: hosttest.Reason}).Stdout))
	assert.False(t, r.Asks)
	one := gavel.Decision{Effect: gavel.Allow, Reasons: []gavel.Reason{{Code: "a", Message: "b"}}}
	worst := hosts.Judge(r, []gavel.Decision{one, {Reasons: []gavel.Reason{{Code: "exec.denied", Message: "not allowed"}}}})
	assert.JSONEq(t, golden.Answers["deny"].Stdout, string(cline.Host().Answer(r, worst).Stdout))
}

func TestToolsBecomeGavelsTools(t *testing.T) {
	for about, c := range map[string]struct {
		text string
		want []gavel.Tool
	}{
		"several files": {call("read_files", `{"files":[{"path":"/a","start_line":null},{"path":"/b"}]}`),
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/a"}}, {Name: "read", Params: map[string]any{"path": "/b"}}}},
		"a search reads the workspace": {call("search_codebase", `{"queries":["x"]}`),
			[]gavel.Tool{{Name: "read", Params: map[string]any{"path": "/w", "recursive": true}}}},
		"every page is fetched": {call("fetch_web_content", `{"requests":[{"url":"https://a.test/","prompt":"p"},{"url":"https://b.test/","prompt":"p"}]}`),
			[]gavel.Tool{{Name: "web_fetch", Params: map[string]any{"url": "https://a.test/"}}, {Name: "web_fetch", Params: map[string]any{"url": "https://b.test/"}}}},
		"an agent is spawned": {call("spawn_agent", `{"systemPrompt":"s","task":"t"}`),
			[]gavel.Tool{{Name: "sessions_spawn", Params: map[string]any{"systemPrompt": "s", "task": "t"}}}},
		"an MCP tool": {call("fs__write_file", `{"path":"/a"}`), []gavel.Tool{{Name: "mcp:fs/write_file", Params: map[string]any{"path": "/a"}}}},
		"a command of the extension": {use("execute_command", `{"command":"ls","requires_approval":"false"}`),
			[]gavel.Tool{{Name: "exec", Params: map[string]any{"command": "ls"}}}},
		"a result that a command shows": {use("attempt_completion", `{"result":"done","command":"open x"}`),
			[]gavel.Tool{{Name: "exec", Params: map[string]any{"command": "open x"}}}},
		"a result": {use("attempt_completion", `{"result":"done"}`),
			[]gavel.Tool{{Name: "attempt_completion", Params: map[string]any{"result": "done"}}}},
		"an MCP tool of the extension": {use("use_mcp_tool", `{"server_name":"db","tool_name":"query","arguments":"{\"q\":1}"}`),
			[]gavel.Tool{{Name: "mcp:db/query", Params: map[string]any{"q": 1.0}}}},
		"an MCP tool with an object": {use("use_mcp_tool", `{"server_name":"db","tool_name":"query","arguments":{"path":"/a"}}`),
			[]gavel.Tool{{Name: "mcp:db/query", Params: map[string]any{"path": "/a"}}}},
		"an MCP resource": {use("access_mcp_resource", `{"server_name":"db","uri":"x:y"}`),
			[]gavel.Tool{{Name: "mcp:db/access_mcp_resource", Params: map[string]any{"uri": "x:y"}}}},
	} {
		var got []gavel.Tool
		for _, call := range read(t, c.text).Calls {
			got = append(got, call.Tool)
		}
		assert.Equal(t, c.want, got, about)
	}
}

func TestAToolInAnUnknownShapeIsUnread(t *testing.T) {
	for about, text := range map[string]string{
		"no commands":                      call("run_commands", `{"commands":[]}`),
		"commands as text":                 call("run_commands", `{"commands":"ls"}`),
		"a command in an unknown form":     call("run_commands", `{"commands":[{"command":"ls","env":{}}]}`),
		"one of several that is not text":  call("run_commands", `{"commands":[7]}`),
		"an unknown parameter":             call("run_commands", `{"commands":["ls"],"cwd":"/"}`),
		"a file without a path":            call("read_files", `{"files":[{"file":"/a"}]}`),
		"a search without a query":         call("search_codebase", `{}`),
		"an MCP name with two readings":    call("a__b__c", `{}`),
		"MCP parameters that are not JSON": use("use_mcp_tool", `{"server_name":"db","tool_name":"query","arguments":"x"}`),
		"MCP parameters that are a list":   use("use_mcp_tool", `{"server_name":"db","tool_name":"query","arguments":["x"]}`),
		"an MCP tool without a server":     use("use_mcp_tool", `{"tool_name":"query"}`),
		"a command that shows no text":     use("attempt_completion", `{"result":"done","command":["x"]}`),
		"the name of one of Gavel's tools": call("exec", `{"command":"ls"}`),
	} {
		assert.NotEmpty(t, read(t, text).Calls[0].Tool.Unread, about)
	}
}

func TestASubagentIsAChild(t *testing.T) {
	r, err := cline.Host().Read(hosttest.Payloads(t)["tool_call.run_commands.subagent.json"])
	require.NoError(t, err)
	r.Complete(hosts.ProcessInfo{})
	assert.Equal(t, []gavel.Parent{{ID: "cline"}}, r.Calls[0].Agent.Parents)
	assert.Equal(t, "cline:1795352944224_dm0vj", r.Calls[0].Session.Key)
}

func TestOnlyTheCommandLineRewrites(t *testing.T) {
	assert.True(t, read(t, call("run_commands", `{"commands":["ls"]}`)).Rewrites)
	assert.False(t, read(t, use("execute_command", `{"command":"ls"}`)).Rewrites)
}

func TestOtherEventsGetNoOpinion(t *testing.T) {
	r := read(t, `{"clineVersion":"3","taskId":"t","hookName":"TaskStart","workspaceRoots":["/w"]}`)
	assert.True(t, r.NoOpinion)
	assert.Equal(t, "{}\n", string(cline.Host().Answer(r, hosts.Verdict{}).Stdout))
	for _, text := range []string{`{"clineVersion":"3","taskId":"t","hookName":"tool_call","workspaceRoots":["/w"]}`,
		`{"clineVersion":"3","taskId":"t","hookName":"BeforeTool","workspaceRoots":["/w"],"tool_call":{}}`, call("run_commands", `["ls"]`),
		`{"clineVersion":"3","taskId":"t","hookName":"tool_call","tool_call":{"name":"editor","input":{"path":"a","new_text":"x"}}}`} {
		_, err := cline.Host().Read(hosttest.Payload(t, text))
		assert.Error(t, err, text)
	}
}
