//go:build linux

package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer/shell"
	"gavel/runner"
	"gavel/runner/front"
)

func TestEveryShellThatTheRunnerTakesFromTheEnvironmentIsRead(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"bash", "sh", "dash", "ash", "mksh", "ksh", "zsh", "fish", "csh", "python3", "gavel-shell"} {
		taken := front.DefaultShell(func(string) string { return "/usr/bin/" + name })
		_, read := shell.Grammar(taken)
		assert.True(t, read, taken)
		if _, read := shell.Grammar(name); !read {
			assert.NotEqual(t, name, taken)
		}
	}
}

func TestTheRunningNoticeComesFromThePolicyUnlessItIsGivenAndZeroSwitchesItOff(t *testing.T) {
	t.Parallel()
	flag := (&app{}).runnerCommand().Flags().Lookup("running-notice")
	require.NotNil(t, flag)
	assert.Contains(t, flag.Usage, "or 10s")
	assert.Zero(t, runnerFlags{}.runningNotice())
	assert.Negative(t, runnerFlags{noticeGiven: true}.runningNotice())
	assert.Equal(t, time.Minute, runnerFlags{notice: time.Minute, noticeGiven: true}.runningNotice())
}

// Tokens, used grants and the record of the runner are Gavel's own files, also if only the runner knows
// where they are.
func TestACommandDoesNotTouchTheFilesOfItsRunner(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	work, state := filepath.Join(dir, "work"), filepath.Join(dir, "state")
	require.NoError(t, errors.Join(os.Mkdir(work, 0o700), os.MkdirAll(filepath.Join(state, "tokens"), 0o700), os.Symlink("../state/tokens", filepath.Join(work, "link")),
		os.WriteFile(filepath.Join(state, "tokens", "run.token"), []byte("secret"), 0o600), os.WriteFile(filepath.Join(dir, "audit"), nil, 0o600)))
	policy := filepath.Join(dir, "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("tools: {exec: {host: gateway, allowlist: [{pattern: /usr/bin/cat, args: any}, {pattern: /usr/bin/cp, args: any}]}, read: {allow: [/**]}, write: {allow: [/**]}}\nagents: {main: {}}\n"), 0o600))
	for name, authority := range map[string]func(a *app) (runner.Authority, error){
		"gavel runner": func(a *app) (runner.Authority, error) {
			a.policy = policy
			decides, _, err := a.runnerAuthority(t.Context(), runnerFlags{State: state, socket: filepath.Join(dir, "audit")})
			return decides, err
		},
		"gavel run": func(a *app) (runner.Authority, error) {
			here := &runningHere{app: a}
			return here.authority(t.Context(), front.Options{Policy: policy, State: state, Audit: filepath.Join(dir, "audit")}, gavel.Call{})
		},
	} {
		a, _, _ := testApp("")
		decides, err := authority(a)
		require.NoError(t, err, name)
		for _, command := range []string{"cat ../state/tokens/run.token", "cat link/run.token", "cat lin?/*", "cat " + state + "/used-grants.json",
			"cat /proc/self/cwd/../state/tokens/run.token", "cp x " + state + "/used-grants.json", "cp x ../state/runs.jsonl", "cp x ../audit"} {
			d, err := decides.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
				Environment: &gavel.Environment{Cwd: work, Home: work, Path: []string{"/usr/bin", "/bin"}}})
			require.NoError(t, err)
			assert.Equal(t, gavel.Deny, d.Effect, "%s: %s", name, command)
		}
		d, err := decides.Decide(t.Context(), gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": "cat x"}},
			Environment: &gavel.Environment{Cwd: work, Home: work, Path: []string{"/usr/bin", "/bin"}}})
		require.NoError(t, err)
		assert.Equal(t, gavel.Allow, d.Effect, "%s: %v", name, d.Reasons)
	}
}
