package codex_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/hosts"
	"gavel/hosts/codex"
	"gavel/hosts/hosttest"
)

func TestGitIsJudgedAndRunWithoutItsPager(t *testing.T) {
	for command, judged := range map[string]string{
		"git log -5":                 "git --no-pager log -5",
		"git diff":                   "git --no-pager diff",
		"  git show HEAD | head":     "  git --no-pager show HEAD | head",
		"cd src/a && git log":        "cd src/a && git --no-pager log",
		"git --no-pager log":         "git --no-pager log",
		"git commit -m 'x; git log'": "git commit -m 'x; git log'",
		"echo git log":               "echo git log",
		"git -c core.pager=x log":    "git -c core.pager=x log",
		"git logs":                   "git logs",
		"cd $(touch x) && git log":   "cd $(touch x) && git log",
		"ls && git log":              "ls && git log",
	} {
		assert.Equal(t, judged, bash(t, command).Tool.Params["command"])
	}
}

// The host holds a command that would start the pager, so it must get the one that was judged.
func TestACommandThatGotAnOptionIsAlwaysRewritten(t *testing.T) {
	h := codex.Host()
	read := func(event string) hosts.Request {
		r, err := h.Read(hosttest.Payload(t, `{"session_id":"s1","turn_id":"t","cwd":"/w","hook_event_name":"`+event+`","model":"gpt","permission_mode":"default",`+
			`"tool_name":"Bash","tool_input":{"command":"git log"},"tool_use_id":"1"}`))
		require.NoError(t, err)
		return r
	}
	r := read("PreToolUse")
	run := func(command string) string {
		d := gavel.Decision{Effect: gavel.Allow, Reasons: []gavel.Reason{{Code: "x", Message: "y"}}, Exec: &gavel.Exec{Host: "gateway", Command: command}}
		return string(h.Answer(r, hosts.Judge(r, []gavel.Decision{d})).Stdout)
	}
	assert.Contains(t, run("git --no-pager log"), `"updatedInput":{"command":"git --no-pager log"}`, "even if nothing else changed")
	assert.Contains(t, run(""), `"permissionDecision":"deny"`)
	assert.Equal(t, "git log", read("PermissionRequest").Calls[0].Tool.Params["command"], "nothing is rewritten there")
}
