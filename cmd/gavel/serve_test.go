package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// serving starts gavel serve on a free port and returns what it announced. stop
// ends it as a signal would, and returns its exit code.
func serving(t *testing.T, args ...string) (n announcement, stop func() int) {
	t.Helper()
	results, out := io.Pipe()
	a, _, _ := testApp("")
	a.stdout = out
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- a.run(ctx, append([]string{"serve", "--output", "json", "--listen", "127.0.0.1:0", "--timeout", patience}, args...))
		_ = out.Close()
	}()
	line, err := newLines(results).next()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(line, &n))
	return n, func() int {
		cancel()
		return <-done
	}
}

func ask(t *testing.T, client *http.Client, url, token string) gavel.Decision {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/decisions", strings.NewReader(readCall))
	require.NoError(t, err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := client.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close() //nolint:errcheck // it was read
	require.Equal(t, http.StatusOK, answer.StatusCode)
	var d gavel.Decision
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&d))
	return d
}

func TestServeAnswersOnTCPAndOnTheSocket(t *testing.T) {
	t.Parallel()
	state, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })

	n, stop := serving(t, "--state", state)
	token, err := os.ReadFile(filepath.Join(n.Tokens, "decide.token"))
	require.NoError(t, err)
	overTCP := ask(t, http.DefaultClient, n.Listen, strings.TrimSpace(string(token)))
	assert.Equal(t, gavel.Allow, overTCP.Effect)
	assert.Equal(t, n.Revision, overTCP.Revision)

	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", n.Socket)
	}
	local := &http.Client{Transport: &http.Transport{DialContext: dial, DisableKeepAlives: true}}
	assert.Equal(t, gavel.Allow, ask(t, local, "http://localhost", "").Effect)

	assert.Equal(t, exitOK, stop())
	assert.Equal(t, 2, strings.Count(decisionLog(t, state), `"path":"gavel/decision/result"`), "both decisions are in the log when it ends")
	assert.NoFileExists(t, n.Socket)
}

func TestServeWritesTheWholeLogBeforeItEnds(t *testing.T) {
	t.Parallel()
	results, out := io.Pipe() // nothing is written until somebody reads
	said, errs := io.Pipe()
	a, _, _ := testApp("")
	a.stdout, a.stderr = out, errs
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	state, done := t.TempDir(), make(chan int, 1)
	go func() {
		done <- a.run(ctx, []string{"serve", "--output", "json", "--listen", "127.0.0.1:0", "--timeout", patience, "--socket", "off", "--state", state, "--log", "-"})
		_ = out.Close()
	}()
	var n announcement
	for reader := newLines(said); n.Listen == ""; {
		line, err := reader.next()
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(line, &n))
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	token, err := os.ReadFile(filepath.Join(n.Tokens, "gateway.token"))
	require.NoError(t, err)
	d := ask(t, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, n.Listen, strings.TrimSpace(string(token)))
	cancel()
	require.Eventually(t, func() bool { // until it no longer listens
		conn, err := net.Dial("tcp", strings.TrimPrefix(n.Listen, "http://"))
		return err != nil || conn.Close() != nil
	}, time.Minute, 50*time.Millisecond)
	logged, err := io.ReadAll(results)
	require.NoError(t, err)
	assert.Contains(t, string(logged), d.ID)
	assert.Equal(t, exitOK, <-done)
}

func TestServeReloadsAPolicyThatChanges(t *testing.T) {
	t.Parallel()
	state, policy := t.TempDir(), filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("agents: {coder: {}}\n"), 0o600))
	n, stop := serving(t, "--state", state, "--socket", "off", "--log", "off", "--policy", policy)
	token, err := os.ReadFile(filepath.Join(n.Tokens, "decide.token"))
	require.NoError(t, err)
	decide := func() gavel.Effect {
		return ask(t, http.DefaultClient, n.Listen, strings.TrimSpace(string(token))).Effect
	}
	require.Equal(t, gavel.Allow, decide())
	// A change that follows the start at once may come before the watcher, so
	// there is another one until one is seen.
	changes := 0
	require.Eventually(t, func() bool {
		if decide() == gavel.Deny {
			return true
		}
		changes++
		text := fmt.Sprintf("agents: {other: {}} # change %d\n", changes)
		assert.NoError(t, os.WriteFile(policy, []byte(text), 0o600))
		return false
	}, time.Minute, 1500*time.Millisecond)
	assert.Equal(t, exitOK, stop())
}

func TestServeWithoutALogWritesNone(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	n, stop := serving(t, "--state", state, "--socket", "off", "--log", "off")
	assert.Empty(t, n.Socket)
	assert.Empty(t, n.Log)
	assert.Equal(t, exitOK, stop())
	assert.NoFileExists(t, filepath.Join(state, "decisions.jsonl"))
}

// TestTheExampleNamesAnAgentThatItsTokenMayAskFor: an agent that the policy does not have is denied,
// and the shared token speaks for few.
func TestTheExampleNamesAnAgentThatItsTokenMayAskFor(t *testing.T) {
	t.Parallel()
	shared := []string{"main", "coder"}
	assert.Equal(t, asker{"coder", "decide.token"}, exampleFor([]string{"a", "coder"}, shared))
	assert.Equal(t, asker{"a", "gateway.token"}, exampleFor([]string{"a", "b"}, shared))
	assert.Equal(t, asker{"main", "decide.token"}, exampleFor(nil, shared), "a policy that names none may admit any")
	assert.Equal(t, asker{"coder", "gateway.token"}, exampleFor(nil, nil))
}

func TestAShellRunsTheExample(t *testing.T) {
	t.Parallel()
	coder, other := asker{"coder", "decide.token"}, asker{"other", "gateway.token"}
	assert.Contains(t, example(announcement{Listen: "http://127.0.0.1:1", Tokens: "/a b/it's"}, coder), `$(cat '/a b/it'\''s/decide.token')`)
	socket := announcement{Socket: "/run/gavel.sock", Tokens: "/t"}
	assert.Contains(t, example(socket, coder), "--unix-socket /run/gavel.sock")
	assert.NotContains(t, example(socket, coder), "Authorization")
	assert.Contains(t, example(socket, other), "Bearer $(cat /t/gateway.token)")
	assert.Contains(t, example(socket, other), `{"agent":{"id":"other"}`)
}
