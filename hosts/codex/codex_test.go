package codex_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/codex"
	"gavel/hosts/hosttest"
)

func TestPayloadsAndAnswersAreAsRecorded(t *testing.T) { hosttest.Golden(t, codex.Host()) }

func TestNeitherADenyNorAnAskEndsInARun(t *testing.T) { hosttest.Effects(t, codex.Host()) }

func TestTheTableMatchesTheToolsOfTheHost(t *testing.T) { hosttest.Tools(t, "tools.yaml") }

func FuzzPayload(f *testing.F) { hosttest.Fuzz(f, codex.Host()) }

func calls(t *testing.T, text string) []gavel.Call {
	t.Helper()
	p := hosttest.Payload(t, text)
	assert.True(t, codex.Host().Detect(p))
	r, err := codex.Host().Read(p)
	require.NoError(t, err)
	return r.Calls
}

// payload is a PreToolUse payload of a tool.
func payload(tool, input string) string {
	return `{"session_id":"s1","turn_id":"t1","cwd":"/w","hook_event_name":"PreToolUse","model":"gpt","permission_mode":"default",` +
		`"tool_name":"` + tool + `","tool_input":` + input + `}`
}

func bash(t *testing.T, command string) gavel.Call {
	t.Helper()
	text, err := json.Marshal(map[string]string{"command": command})
	require.NoError(t, err)
	list := calls(t, payload("Bash", string(text)))
	require.Len(t, list, 1)
	return list[0]
}

func TestAShellCommandThatAppliesAPatchIsAPatch(t *testing.T) {
	const body = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"
	for about, c := range map[string][2]string{
		"quoted":                   {"apply_patch <<'EOF'\n" + body + "EOF", "/w"},
		"with a line feed after":   {"apply_patch <<'EOF'\n" + body + "EOF\n", "/w"},
		"quoted twice":             {"apply_patch <<\"PATCH\"\n" + body + "PATCH", "/w"},
		"plain":                    {"apply_patch << EOF\n" + body + "EOF", "/w"},
		"by its other name":        {"applypatch <<'EOF'\n" + body + "EOF", "/w"},
		"in another directory":     {"cd sub && apply_patch <<'EOF'\n" + body + "EOF", "/w/sub"},
		"in a directory elsewhere": {"cd '/my dir' && apply_patch <<'EOF'\n" + body + "EOF", "/my dir"},
	} {
		t.Run(about, func(t *testing.T) {
			call := bash(t, c[0])
			assert.Equal(t, gavel.Tool{Name: "apply_patch", Params: map[string]any{"input": body}}, call.Tool)
			assert.Equal(t, c[1], call.Environment.Cwd)
			assert.Equal(t, "/w", call.Environment.Workspace, "it stays the directory of the call")
		})
	}
	for about, command := range map[string]string{
		"something else follows":         "apply_patch <<'EOF'\n" + body + "EOF\ntouch x",
		"something else follows at once": "apply_patch <<'EOF' ; touch x\n" + body + "EOF",
		"the shell would expand it":      "apply_patch <<EOF\n$(touch x)\nEOF",
		"the text has no end":            "apply_patch <<'EOF'\n" + body,
		"an end that is not a line":      "apply_patch <<'EOF'\n" + body + "xEOF",
		"something else comes first":     "touch x && apply_patch <<'EOF'\n" + body + "EOF",
		"no text":                        "apply_patch x",
	} {
		t.Run(about, func(t *testing.T) {
			call := bash(t, command)
			assert.Equal(t, "exec", call.Tool.Name)
			assert.Equal(t, command, call.Tool.Params["command"])
		})
	}
}

func TestTheAgentCanTypeIntoWhatItStarts(t *testing.T) {
	assert.Equal(t, map[string]any{"command": "bash --norc", "pty": true}, bash(t, "bash --norc").Tool.Params)
}

func TestTheModelAndTheModeAreStated(t *testing.T) {
	call := bash(t, "ls")
	assert.Equal(t, "gpt", call.Model.ID)
	assert.Equal(t, gavel.Host{Name: "codex", Event: "PreToolUse", Mode: "default"}, call.Host)
	assert.Equal(t, "codex:s1", call.Session.Key)
}

func TestTheAppServerIsAnswered(t *testing.T) {
	h := codex.Host()
	allow, deny := hosts.Verdict{Effect: gavel.Allow, Reason: "r", Run: []string{""}}, hosts.Verdict{Reason: "no"}
	for about, c := range map[string]struct{ question, tool, text, allow, deny string }{
		"a command": {`{"method":"item/commandExecution/requestApproval","id":7,"params":{"threadId":"t","command":"/bin/bash -lc 'touch ran'","cwd":"/w"}}`,
			"exec", "touch ran", `{"id":7,"result":{"decision":"accept"}}`, `{"id":7,"result":{"decision":"decline"}}`},
		"a command with quotes": {`{"method":"item/commandExecution/requestApproval","id":"a","params":{"threadId":"t",` +
			`"command":"/bin/bash -lc 'echo '\\''x'\\'''","cwd":"/w"}}`,
			"exec", "echo 'x'", `{"id":"a","result":{"decision":"accept"}}`, `{"id":"a","result":{"decision":"decline"}}`},
		"a command that ends early": {`{"method":"item/commandExecution/requestApproval","id":7,"params":{"threadId":"t",` +
			`"command":"/bin/bash -lc 'a' b","cwd":"/w"}}`,
			"exec", "/bin/bash -lc 'a' b", `{"id":7,"result":{"decision":"accept"}}`, `{"id":7,"result":{"decision":"decline"}}`},
		"an old command": {`{"method":"execCommandApproval","id":7,"params":{"conversationId":"t","command":["bash","-lc","touch ran"],"cwd":"/w"}}`,
			"exec", "touch ran", `{"id":7,"result":{"decision":"approved"}}`, `{"id":7,"result":{"decision":{"denied":{"rejection":"no"}}}}`},
		"an old command without a shell": {`{"method":"execCommandApproval","id":7,"params":{"conversationId":"t","command":["touch","it's"],"cwd":"/w"}}`,
			"exec", `'touch' 'it'\''s'`, `{"id":7,"result":{"decision":"approved"}}`, `{"id":7,"result":{"decision":{"denied":{"rejection":"no"}}}}`},
	} {
		t.Run(about, func(t *testing.T) {
			p := hosttest.Payload(t, c.question)
			require.True(t, h.Detect(p))
			r, err := h.Read(p)
			require.NoError(t, err)
			require.Len(t, r.Calls, 1)
			assert.Equal(t, c.tool, r.Calls[0].Tool.Name)
			assert.Equal(t, c.text, r.Calls[0].Tool.Params["command"])
			assert.JSONEq(t, c.allow, string(h.Answer(r, allow).Stdout))
			assert.JSONEq(t, c.deny, string(h.Answer(r, deny).Stdout))
			assert.Contains(t, string(h.Fail(p, errors.New("x")).Stdout), "d")
		})
	}
}

func TestFilesOfTheAppServerAreJudgedOneByOne(t *testing.T) {
	list := calls(t, `{"method":"applyPatchApproval","id":1,"params":{"conversationId":"t","fileChanges":`+
		`{"/a":{"type":"add"},"/b":{"type":"update","move_path":"/c"},"d":{"type":"add"}}}}`)
	var paths []any
	for _, call := range list {
		paths = append(paths, call.Tool.Params["path"])
	}
	assert.Equal(t, []any{"/a", "/b", "/c", "d"}, paths)
	assert.NotEmpty(t, list[3].Tool.Unread)
	list = calls(t, `{"method":"item/fileChange/requestApproval","id":1,"params":{"threadId":"t","itemId":"x"}}`)
	assert.NotEmpty(t, list[0].Tool.Unread)
}

func TestAQuestionOfTheAppServerThatAsksForMoreIsUnread(t *testing.T) {
	const command = `{"method":"item/commandExecution/requestApproval","id":1,"params":{"threadId":"t","command":"/bin/bash -lc ls","cwd":"/w"`
	const old = `{"method":"execCommandApproval","id":1,"params":{"conversationId":"t","command":["ls"],"cwd":"/w"`
	const files = `{"method":"applyPatchApproval","id":1,"params":{"conversationId":"t","fileChanges":{"/a":{"type":"add"}}`
	for question, more := range map[string][2]string{
		"what is typed into a running program": {command, `"kind":"writeStdin"`},
		"what only a person may answer":        {command, `"kind":"humanCommand"`},
		"a kind that is not text":              {command, `"kind":1`},
		"an address of the network":            {command, `"networkApprovalContext":{"host":"example.com","protocol":"https"}`},
		"more permissions":                     {command, `"additionalPermissions":{"network":{"enabled":true}}`},
		"more than an old command":             {old, `"additionalPermissions":{}`},
		"a directory for the whole session":    {files, `"grantRoot":"/srv"`},
	} {
		t.Run(question, func(t *testing.T) {
			list := calls(t, more[0]+","+more[1]+"}}")
			require.Len(t, list, 1)
			assert.NotEmpty(t, list[0].Tool.Unread)
		})
	}
	for _, question := range []string{command + `,"kind":"command","networkApprovalContext":null}}`, old + `,"approvalId":"x","reason":null}}`, files + `,"grantRoot":null}}`} {
		assert.Empty(t, calls(t, question)[0].Tool.Unread, question)
	}
}

func TestTheRecordedQuestionOfTheAppServerIsRead(t *testing.T) {
	text, err := os.ReadFile("testdata/golden/appserver-commandExecution-requestApproval.json")
	require.NoError(t, err)
	var recorded struct {
		Request json.RawMessage
		Answers map[string]string
	}
	require.NoError(t, json.Unmarshal(text, &recorded))
	h, p := codex.Host(), hosttest.Payload(t, string(recorded.Request))
	r, err := h.Read(p)
	require.NoError(t, err)
	require.Len(t, r.Calls, 1)
	assert.Empty(t, r.Calls[0].Tool.Unread)
	assert.Equal(t, "touch ran", r.Calls[0].Tool.Params["command"])
	assert.JSONEq(t, recorded.Answers["allow"], string(h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "r", Run: []string{""}}).Stdout))
	assert.JSONEq(t, recorded.Answers["deny"], string(h.Answer(r, hosts.Verdict{Reason: "no"}).Stdout))
}

func TestACommandThatWasNotRewrittenIsLeftToThePerson(t *testing.T) {
	h := codex.Host()
	r, err := h.Read(hosttest.Payloads(t)["PermissionRequest.Bash.json"])
	require.NoError(t, err)
	assert.Empty(t, h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "r", Run: []string{"'/usr/bin/touch' 'x'"}}).Stdout)
	assert.NotEmpty(t, h.Answer(r, hosts.Verdict{Effect: gavel.Allow, Reason: "r", Run: []string{""}}).Stdout)
}
