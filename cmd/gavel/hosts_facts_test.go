package main

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/hook"
)

// What a host says about a call, besides the tool and its parameters, is for Rego of one's own to
// judge.
func TestOwnRegoJudgesHowAHostWouldRunACall(t *testing.T) {
	t.Parallel()
	f := newFlow(t, `
tools: {exec: {host: gateway, security: full, ask: "off"}}
agents: {claude-code: {tools: {allow: [exec, sessions_spawn]}}}
`, "own.rego", `package custom

deny contains "no mode without questions" if input.host.mode == "bypassPermissions"

deny contains "no command out of the sandbox" if input.host.unsandboxed

deny contains "no sub-agent without questions" if input.tool.params.mode == "bypassPermissions"
`)
	decide := func(ctx context.Context, calls []gavel.Call) (list []gavel.Decision, err error) {
		for _, call := range calls {
			call.Environment.Executables = map[string]string{"ls": "/usr/bin/ls"}
			list = append(list, f.Decide(ctx, call, gavel.Options{Caller: "gateway"}))
		}
		return list, nil
	}
	asked := func(mode, tool, input string) string {
		payload := `{"session_id":"s","transcript_path":"/t","cwd":"/srv/app","permission_mode":"` + mode + `","hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_input":` + input + `}`
		return string(hook.Run(t.Context(), hook.Config{Decide: decide}, []byte(payload)).Stdout)
	}
	assert.Contains(t, asked("default", "Bash", `{"command":"ls"}`), `"permissionDecision":"allow"`)
	assert.Contains(t, asked("default", "Agent", `{"prompt":"p","mode":"plan"}`), `"permissionDecision":"allow"`)
	for want, c := range map[string][3]string{
		"no mode without questions":      {"bypassPermissions", "Bash", `{"command":"ls"}`},
		"no command out of the sandbox":  {"default", "Bash", `{"command":"ls","dangerouslyDisableSandbox":true}`},
		"no sub-agent without questions": {"default", "Agent", `{"prompt":"p","mode":"bypassPermissions"}`},
	} {
		answer := asked(c[0], c[1], c[2])
		assert.Contains(t, answer, `"permissionDecision":"deny"`, want)
		assert.Contains(t, answer, want)
	}
}
