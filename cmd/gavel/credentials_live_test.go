//go:build linux

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// credentialServer is a running gavel credentials serve, as a process of its own.
type credentialServer struct {
	t   *testing.T
	dir string
	log *lockedBuffer
	cmd *exec.Cmd
}

// startCredentialServer serves the tool fake, which prints its arguments, by the decisions that the arguments
// name.
func startCredentialServer(t *testing.T, args ...string) *credentialServer {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	v := &credentialServer{t: t, dir: dir, log: &lockedBuffer{}}
	for name, text := range map[string]string{
		"fake":   "#!/bin/sh\necho ran \"$@\" with $TOKEN\n",
		"secret": "tok-live-4711-value",
		"wrappers.yaml": "credentials: {token: {source: 'file:" + dir + "/secret'}}\n" +
			"tools: {fake: {binary: " + dir + "/fake, env: {TOKEN: token}}}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Chmod(filepath.Join(dir, "fake"), 0o700))
	v.cmd = exec.Command("gavel", append([]string{"credentials", "serve", "--config", filepath.Join(dir, "wrappers.yaml"), //nolint:noctx // it is ended below
		"--socket", filepath.Join(dir, "secrets.sock"), "--auth", filepath.Join(dir, "auth"), "--log", filepath.Join(dir, "decisions.jsonl"), "--timeout", patience}, args...)...)
	v.cmd.Stderr = v.log
	require.NoError(t, v.cmd.Start())
	t.Cleanup(func() {
		assert.NoError(t, v.cmd.Process.Signal(syscall.SIGTERM))
		assert.NoError(t, v.cmd.Wait(), v.log)
	})
	v.says("serving tools")
	return v
}

// says waits until the log contains a text.
func (v *credentialServer) says(text string) {
	v.t.Helper()
	require.Eventually(v.t, func() bool { return strings.Contains(v.log.String(), text) }, time.Minute, time.Millisecond, v.log)
}

// wrap starts gavel wrap. The function waits for its end.
func (v *credentialServer) wrap(args ...string) (wait func() (status int, stdout, stderr string)) {
	v.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(v.t.Context(), "gavel", append([]string{"wrap", "fake"}, args...)...)
	cmd.Env = append(os.Environ(), "CLAW_WRAP_RUNTIME_DIR="+v.dir)
	cmd.Dir, cmd.Stdout, cmd.Stderr = v.dir, &stdout, &stderr
	require.NoError(v.t, cmd.Start())
	return func() (int, string, string) {
		_ = cmd.Wait() // the status says it
		return cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()
	}
}

const askingForTools = `
tools: {alsoAllow: [credential], credential: {ask: [fake]}}
sandboxing: {mode: "off"}
agents: {main: {}}
`

// question is the id of the one open question.
func (o *testServer) question() string {
	o.t.Helper()
	var ids []string
	require.Eventually(o.t, func() bool { ids = o.open(); return len(ids) == 1 }, time.Minute, 10*time.Millisecond)
	return ids[0]
}

func TestAPersonAnswersForATool(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, askingForTools)
	v := startCredentialServer(t, "--server", filepath.Join(o.state, "gavel.sock"), "--token", filepath.Join(o.state, "tokens", "gateway.token"))
	t.Run("allowed, the tool runs once", func(t *testing.T) {
		wait := v.wrap("a", "b")
		o.resolve("approve", o.question(), "allow-once")
		status, stdout, stderr := wait()
		assert.Equal(t, 0, status, stderr)
		assert.Equal(t, "ran a b with [REDACTED]\n", stdout)
		wait = v.wrap("a", "b")
		o.resolve("approve", o.question(), "deny")
		status, stdout, _ = wait()
		assert.Equal(t, 1, status, "the answer was for one use")
		assert.Empty(t, stdout)
	})
	t.Run("denied, the tool does not run", func(t *testing.T) {
		wait := v.wrap("c")
		o.resolve("approve", o.question(), "deny")
		status, stdout, stderr := wait()
		assert.Equal(t, 1, status)
		assert.Empty(t, stdout)
		assert.Contains(t, stderr, "blocked: a person denied it", "the client learns who refused")
	})
	t.Run("an answer for other arguments is none", func(t *testing.T) {
		wait := v.wrap("d")
		id := o.question()
		other := v.wrap("e")
		require.Eventually(t, func() bool { return len(o.open()) == 2 }, time.Minute, 10*time.Millisecond)
		o.resolve("approve", id, "allow-once")
		status, stdout, _ := wait()
		assert.Equal(t, 0, status)
		assert.Equal(t, "ran d with [REDACTED]\n", stdout)
		o.resolve("approve", o.question(), "deny")
		status, stdout, _ = other()
		assert.Equal(t, 1, status)
		assert.Empty(t, stdout)
	})
}

func TestAnUnansweredQuestionAboutAToolIsNotAnAllow(t *testing.T) {
	t.Parallel()
	o := startTestServer(t, askingForTools+"approvals: {exec: {timeout: 1000}}\n")
	v := startCredentialServer(t, "--server", filepath.Join(o.state, "gavel.sock"), "--token", filepath.Join(o.state, "tokens", "gateway.token"))
	status, stdout, stderr := v.wrap("a")()
	assert.Equal(t, 1, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "blocked: nobody answered the question in time")
}

func TestAServerThatIsGoneDecidesNothing(t *testing.T) {
	t.Parallel()
	token := filepath.Join(t.TempDir(), "token")
	require.NoError(t, os.WriteFile(token, []byte(strings.Repeat("x", 40)), 0o600))
	v := startCredentialServer(t, "--server", filepath.Join(t.TempDir(), "nobody.sock"), "--token", token)
	status, stdout, stderr := v.wrap("a")()
	assert.Equal(t, 1, status)
	assert.Empty(t, stdout)
	assert.Contains(t, stderr, "gavel.unreachable")
}

func TestThePolicyOfTheCredentialDaemonIsReloaded(t *testing.T) {
	t.Parallel()
	policy := filepath.Join(t.TempDir(), "config.yaml")
	write := func(text string) { require.NoError(t, os.WriteFile(policy, []byte(text), 0o600)) }
	const allows, denies = "tools: {alsoAllow: [credential]}\nagents: {main: {}}\n", "tools: {alsoAllow: [credential], credential: {deny: [fake]}}\nagents: {main: {}}\n"
	write(allows)
	v := startCredentialServer(t, "--policy", policy)
	allowed := func() bool {
		status, _, _ := v.wrap("x")()
		return status == 0
	}
	require.True(t, allowed())
	write(denies)
	require.Eventually(t, func() bool { return !allowed() }, time.Minute, 10*time.Millisecond)
	write("tools: {credential: nonsense}\n")
	v.says("the last good one stays in force")
	assert.False(t, allowed())
	require.NoError(t, os.Rename(policy, policy+".away"))
	require.NoError(t, v.cmd.Process.Signal(syscall.SIGHUP))
	assert.False(t, allowed(), "a policy that is gone is not an empty one")
	write(allows)
	require.NoError(t, v.cmd.Process.Signal(syscall.SIGHUP))
	require.Eventually(t, allowed, time.Minute, 10*time.Millisecond)
}
