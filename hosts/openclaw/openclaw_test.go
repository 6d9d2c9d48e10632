package openclaw_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/hosttest"
	"gavel/hosts/openclaw"
)

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func TestEventsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, openclaw.Host()) }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, openclaw.Host()) }

// OpenClaw's gateway loads a plugin at its start only if the manifest says so; measured, the hook
// of one that does not is never called there.
func TestTheGatewayLoadsThePluginWhenItStarts(t *testing.T) {
	text, err := os.ReadFile("plugin/openclaw.plugin.json")
	require.NoError(t, err)
	var manifest struct {
		Activation struct{ OnStartup bool }
	}
	require.NoError(t, json.Unmarshal(text, &manifest))
	assert.True(t, manifest.Activation.OnStartup)
}

func event(said string) string {
	return `{"event":{` + said + `},"ctx":{"agentId":"main","sessionKey":"agent:main:main","sessionId":"s1","cwd":"/w"}}`
}

func read(t *testing.T, text string) hosts.Request {
	t.Helper()
	p := hosttest.Payload(t, text)
	assert.True(t, openclaw.Host().Detect(p))
	r, err := openclaw.Host().Read(p)
	require.NoError(t, err)
	require.Len(t, r.Calls, 1)
	return r
}

func TestEventsBecomeCalls(t *testing.T) {
	for about, c := range map[string]struct {
		said string
		want gavel.Tool
	}{
		"a command": {`"toolName":"exec","params":{"command":"ls","title":"t","workdir":"/w","env":{"A":"1"},"timeoutSeconds":5}`,
			gavel.Tool{Name: "exec", Params: map[string]any{"command": "ls", "workdir": "/w", "env": map[string]any{"A": "1"}, "timeout": 5.0}}},
		"a script of code mode is not a command": {`"toolName":"exec","params":{"command":"return exec({command:'rm -rf /'})"},"toolKind":"code_mode_exec","toolInputKind":"javascript"`,
			gavel.Tool{Name: "code_mode_exec", Params: map[string]any{"command": "return exec({command:'rm -rf /'})"}}},
		"JavaScript of any kind is not a command": {`"toolName":"exec","params":{"command":"1"},"toolInputKind":"javascript"`,
			gavel.Tool{Name: "code_mode_exec", Params: map[string]any{"command": "1"}}},
		"a directory is read": {`"toolName":"ls","params":{}`, gavel.Tool{Name: "read", Params: map[string]any{"path": "/w"}}},
		"a patch": {`"toolName":"apply_patch","params":{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}`,
			gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}}},
		"a patch behind tool_call": {`"toolName":"tool_call","params":{"id":"apply_patch","args":{"input":"*** Begin Patch\n*** Delete File: a\n*** End Patch"}}`,
			gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": "*** Begin Patch\n*** Delete File: a\n*** End Patch"}}},
		"an MCP tool":      {`"toolName":"fs__write_file","params":{"path":"/x"}`, gavel.Tool{Name: "mcp:fs/write_file", Params: map[string]any{"path": "/x"}}},
		"an unlisted tool": {`"toolName":"sessions_spawn","params":{"task":"t"}`, gavel.Tool{Name: "sessions_spawn", Params: map[string]any{"task": "t"}}},
	} {
		t.Run(about, func(t *testing.T) { assert.Equal(t, c.want, read(t, event(c.said)).Calls[0].Tool) })
	}
}

func TestUnknownEventsAreUnread(t *testing.T) {
	for about, said := range map[string]string{
		"an unknown kind of tool":    `"toolName":"exec","params":{"command":"ls"},"toolKind":"python_exec"`,
		"an unknown kind of input":   `"toolName":"exec","params":{"command":"ls"},"toolInputKind":"python"`,
		"an unknown parameter":       `"toolName":"exec","params":{"command":"ls","shell":"zsh"}`,
		"parameters that are a list": `"toolName":"exec","params":["ls"]`,
		"no parameters":              `"toolName":"exec"`,
		"another host's name":        `"toolName":"bash","params":{"command":"ls"}`,
		"an MCP name without an end": `"toolName":"a__b__c","params":{}`,
	} {
		t.Run(about, func(t *testing.T) { assert.NotEmpty(t, read(t, event(said)).Calls[0].Tool.Unread) })
	}
}

func TestTheSenderIsTheOneThatOpenClawVerifiedAndNeverTheUserOfTheMachine(t *testing.T) {
	proved := read(t, `{"event":{"toolName":"exec","params":{"command":"ls"}},"ctx":{"agentId":"ops","sessionKey":"agent:ops:main","sessionId":"s","cwd":"/w",
		"requester":{"channel":"discord","senderId":"123","senderIsOwner":true}}}`)
	unproven := read(t, event(`"toolName":"exec","params":{"command":"ls"}`))
	claimed := read(t, `{"event":{"toolName":"exec","params":{"command":"ls"}},"ctx":{"agentId":"ops","sessionId":"s","cwd":"/w","requester":{"senderIsOwner":"true"}}}`)
	for _, r := range []*hosts.Request{&proved, &unproven, &claimed} {
		r.Complete(hosts.ProcessInfo{User: "alice"})
	}
	assert.Equal(t, &gavel.Sender{Channel: "discord", ID: "123", Owner: true}, proved.Calls[0].Sender)
	assert.Equal(t, &gavel.Sender{}, unproven.Calls[0].Sender)
	assert.Equal(t, &gavel.Sender{}, claimed.Calls[0].Sender)
	assert.Equal(t, "ops", proved.Calls[0].Agent.ID)
	assert.Equal(t, "agent:ops:main", proved.Calls[0].Session.Key)
	assert.Equal(t, "openclaw:s", claimed.Calls[0].Session.Key)
}

func TestASubagentIsAChildOfItsAgent(t *testing.T) {
	r, err := openclaw.Host().Read(hosttest.Payloads(t)["before_tool_call.exec.subagent.json"])
	require.NoError(t, err)
	r.Complete(hosts.ProcessInfo{})
	assert.Equal(t, []gavel.Parent{{ID: "main"}}, r.Calls[0].Agent.Parents)
}

func TestRecordedEventsAreReadAndAnswered(t *testing.T) {
	for name, p := range hosttest.Payloads(t) {
		t.Run(name, func(t *testing.T) {
			r, err := openclaw.Host().Read(p)
			require.NoError(t, err)
			assert.Empty(t, r.Calls[0].Tool.Unread)
			deny := openclaw.Host().Answer(r, hosts.Verdict{Reason: hosttest.Reason})
			assert.Equal(t, `{"decision":"deny","reason":"exec.denied: not allowed"}`+"\n", string(deny.Stdout))
			allow := openclaw.Host().Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "ok", Run: []string{""}})
			assert.Equal(t, `{"decision":"allow","reason":"ok","params":`+string(r.Input.JSON())+"}\n", string(allow.Stdout), "the parameters that were judged are pinned")
			ask := openclaw.Host().Answer(r, hosts.Verdict{Effect: gavel.Ask, Reason: "why", Run: []string{""}})
			if r.Tool != "tool_call" {
				assert.Contains(t, string(ask.Stdout), `{"decision":"ask","reason":"why","params":{`)
			}
			assert.Contains(t, string(openclaw.Host().Fail(p, errors.New("down")).Stdout), `{"decision":"deny","reason":"gavel: not decided`)
		})
	}
}

func TestACommandRunsAsItWasJudged(t *testing.T) {
	r := read(t, event(`"toolName":"exec","params":{"command":"ls","workdir":"/w"}`))
	allow := openclaw.Host().Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "ok", Run: []string{"'/bin/ls'"}})
	assert.Equal(t, `{"decision":"allow","reason":"ok","params":{"command":"'/bin/ls'","workdir":"/w"}}`+"\n", string(allow.Stdout))
}

// OpenClaw shows its model a few tools, and lets it call the others through one of them.
func TestAWrappedCallIsJudgedAsTheToolInside(t *testing.T) {
	r := read(t, event(`"toolName":"tool_call","params":{"id":"fs__write_file","args":{"path":"/w/x","content":"x"}}`))
	assert.Equal(t, gavel.Tool{Name: "mcp:fs/write_file", Params: map[string]any{"path": "/w/x", "content": "x"}}, r.Calls[0].Tool)
	r = read(t, event(`"toolName":"tool_call","params":{"id":"exec","args":{"command":"ls"}}`))
	assert.Equal(t, "exec", r.Calls[0].Tool.Name)
	for _, effect := range []gavel.Effect{gavel.Allow, gavel.Ask} {
		passed := openclaw.Host().Answer(r, hosts.Verdict{Effect: effect, Reason: "ok", Run: []string{"'/bin/ls'"}})
		assert.Equal(t, `{"decision":"allow","reason":"ok","params":{"id":"exec","args":{"command":"ls"}}}`+"\n", string(passed.Stdout),
			"the tool inside is asked about, and rewritten, in its own event")
	}
	assert.Contains(t, string(openclaw.Host().Answer(r, hosts.Verdict{Reason: "no"}).Stdout), `"decision":"deny"`)
	for _, params := range []string{`{"id":"tool_call","args":{}}`, `{"args":{}}`, `{"id":"exec","args":["ls"]}`, `{"id":"exec"}`} {
		assert.NotEmpty(t, read(t, event(`"toolName":"tool_call","params":`+params)).Calls[0].Tool.Unread, params)
	}
}
