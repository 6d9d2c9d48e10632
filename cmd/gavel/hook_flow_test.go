package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
	"gavel/hook"
	"gavel/hosts"
)

// A host that cannot ask is told no, and how a person says yes; then the same call passes,
// once.
func TestTheNextCallOfAHostFindsTheAnswer(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, allowlist: [/usr/bin/ls]}}\nagents: {codex: {}}\n")
	var last []gavel.Decision
	cfg := hook.Config{Host: "codex", Process: hosts.ProcessInfo{User: "alice", Home: "/home/u", Path: []string{"/usr/bin", "/bin"}, Platform: "linux"},
		Decide: func(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
			last = f.DecideAll(ctx, calls, gavel.Options{Caller: "gateway"})
			return last, nil
		}}
	run := func() string {
		return string(hook.Run(t.Context(), cfg, []byte(`{"session_id":"s","turn_id":"t","cwd":"/","hook_event_name":"PreToolUse","model":"m",`+
			`"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"mkdir /tmp/x"},"tool_use_id":"1"}`)).Stdout)
	}
	refused := run()
	require.NotNil(t, last[0].Approval, refused)
	assert.Contains(t, refused, `"permissionDecision":"deny"`)
	assert.Contains(t, refused, "gavel approvals approve "+last[0].Approval.ID)
	assert.Equal(t, refused, run(), "asked again, it is the same question")
	_, err := f.people.Resolve(t.Context(), approvals.Resolution{ID: last[0].Approval.ID, Answer: "approve", By: "approve"})
	require.NoError(t, err)
	assert.Regexp(t, `"permissionDecision":"allow","updatedInput":\{"command":"'/[a-z/]*bin/mkdir' '/tmp/x'"\}`, run())
	assert.Contains(t, run(), `"permissionDecision":"deny"`, "an answer permits the call once")
}

// A probe is decided and denied, and nobody is asked: not even when the policy would ask.
func TestAProbeOfAHookAsksNobodyAndPermitsNothing(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, allowlist: [/usr/bin/ls]}}\nagents: {codex: {}}\n")
	for _, command := range []string{"ls", "mkdir /tmp/x"} {
		for _, probe := range []bool{true, false} {
			var last []gavel.Decision
			process := hook.ThisProcess(func(name string) string {
				return map[string]string{"HOME": "/home/u", "PATH": "/usr/bin:/bin", hook.ProbeVariable: map[bool]string{true: "1"}[probe]}[name]
			})
			cfg := hook.Config{Host: "codex", Process: process, Decide: func(ctx context.Context, calls []gavel.Call) ([]gavel.Decision, error) {
				last = f.DecideAll(ctx, calls, gavel.Options{Caller: "gateway"})
				return last, nil
			}}
			answer := string(hook.Run(t.Context(), cfg, []byte(`{"session_id":"s","turn_id":"t","cwd":"/","hook_event_name":"PreToolUse","model":"m",`+
				`"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"`+command+`"},"tool_use_id":"1"}`)).Stdout)
			require.Len(t, last, 1)
			assert.Equal(t, probe, strings.Contains(answer, "guard.probe"), answer)
			assert.Equal(t, probe || command != "ls", strings.Contains(answer, `"permissionDecision":"deny"`), answer)
			assert.Equal(t, !probe && command != "ls", last[0].Approval != nil, answer)
		}
	}
}

// What a host runs after a rewrite is what was judged, so it is not rewritten again.
func TestARewrittenCommandIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := newFlow(t, "tools: {exec: {host: gateway, allowlist: [/usr/bin/*, /bin/*], harmlessRedirects: allow,\n"+
		"  constructs: {redirect: paths, substitution: segments}}}\nagents: {main: {}}\n")
	for _, command := range []string{"ls -l", "ls | head -5", "ls 'a b' \"c\" && id", "ls *.go", "FOO=1 ls", "ls 2>/dev/null", "cd sub && ls",
		"ls; id", "echo $(id)"} {
		judge := func(text string) string {
			return f.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": text}},
				Environment: &gavel.Environment{Cwd: "/", Path: []string{"/usr/bin", "/bin"}}}, gavel.Options{}).Exec.Command
		}
		once := judge(command)
		require.NotEmpty(t, once, command)
		assert.Equal(t, once, judge(once), command)
	}
}

// Hosts start hooks side by side, each for its own call.
func TestFortyHooksAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("agents: {defaults: {}}\nsandboxing: {mode: \"off\"}\n"+
		"tools: {profile: full, exec: {host: gateway, security: allowlist, ask: \"off\", allowlist: [/usr/bin/touch]}}\n"), 0o600))
	state := filepath.Join(t.TempDir(), "s")
	_, stop := serving(t, "--policy", policy, "--state", state, "--timeout", "1m")
	defer stop()
	answers := make([]string, 40)
	var group sync.WaitGroup
	for i := range answers {
		group.Go(func() {
			program := []string{"touch", "ls"}[i%2]
			a, out, _ := testApp(fmt.Sprintf(`{"session_id":"s","turn_id":"t","transcript_path":null,"cwd":"/tmp","hook_event_name":"PreToolUse","model":"m",`+
				`"permission_mode":"default","tool_name":"Bash","tool_input":{"command":"%s file-%d"},"tool_use_id":"%d"}`, program, i, i))
			a.getenv = withVariables(a.getenv, "PATH", "/usr/bin:/bin")
			a.run(t.Context(), []string{"hook", "codex", "--state", state, "--timeout", "5m"})
			answers[i] = out.String()
		})
	}
	group.Wait()
	for i, said := range answers {
		if i%2 == 0 {
			assert.Contains(t, said, fmt.Sprintf(`"updatedInput":{"command":"'/usr/bin/touch' 'file-%d'"}`, i))
		} else {
			assert.Contains(t, said, `"permissionDecision":"deny"`)
			assert.Contains(t, said, "ls file-"+strconv.Itoa(i)+":")
		}
	}
}
