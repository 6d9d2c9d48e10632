package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/approvals"
)

// victim is a gavel serve in a process of its own, to be killed.
type victim struct {
	t           *testing.T
	policy, dir string
	args        []string // more of serve's
	process     *exec.Cmd
	url         string
	tokens      map[string]string
}

// start serves on the state that the last one left behind.
func (v *victim) start() {
	self, err := os.Executable()
	require.NoError(v.t, err)
	v.process = exec.CommandContext(v.t.Context(), self)
	v.process.Args = []string{"gavel", "serve", "--output", "json", "--listen", "127.0.0.1:0", "--timeout", patience, "--policy", v.policy, "--state", v.dir}
	v.process.Args = append(v.process.Args, v.args...)
	out, err := v.process.StdoutPipe()
	require.NoError(v.t, err)
	require.NoError(v.t, v.process.Start())
	line, err := newLines(out).next()
	require.NoError(v.t, err)
	var n announcement
	require.NoError(v.t, json.Unmarshal(line, &n))
	v.url, v.tokens = n.Listen, map[string]string{}
	for _, scope := range []string{"decide", "gateway", "approve"} {
		text, err := os.ReadFile(filepath.Join(v.dir, "tokens", scope+".token"))
		require.NoError(v.t, err)
		v.tokens[scope] = strings.TrimSpace(string(text))
	}
}

// kill is kill -9.
func (v *victim) kill() {
	require.NoError(v.t, v.process.Process.Kill())
	_ = v.process.Wait() // it was killed
}

// do makes a request; ok is false when no whole answer came.
func (v *victim) do(client *http.Client, scope, method, path, body string) (answer map[string]any, ok bool) {
	request, err := http.NewRequest(method, v.url+path, strings.NewReader(body)) //nolint:noctx // it ends with the victim
	if err != nil {
		return nil, false
	}
	request.Header.Set("Authorization", "Bearer "+v.tokens[scope])
	got, err := client.Do(request)
	if err != nil {
		return nil, false
	}
	defer got.Body.Close() //nolint:errcheck // it was read
	text, err := io.ReadAll(got.Body)
	if err != nil || json.Unmarshal(text, &answer) != nil || got.StatusCode != http.StatusOK {
		return nil, false
	}
	return answer, true
}

// acknowledged has the replies to one call that its client has received.
type acknowledged struct {
	command  string
	id       string
	answered bool      // an answer was acknowledged
	since    time.Time // before it was answered
	tried    bool      // somebody tried to use it, whatever came of it
	allowed  int       // how often the call was allowed, as far as anybody was told
}

// A process is killed in a loop while clients ask, answer and use. Afterwards every
// answer that was acknowledged is there, and none was used twice.
func TestKillingTheServerLosesNoAnswerAndUsesNoneTwice(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "gavel")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(asking), 0o644))
	v := &victim{t: t, policy: policy, dir: dir, args: []string{"--log", "off"}}
	found, used := 0, 0
	v.start()
	for round := 0; round < 6 || found <= 6; round++ {
		require.Less(t, round, 50, "no answer is found within its grace")
		list := v.workUntilKilled(round % 6)
		v.start()
		for _, c := range list {
			if c.answered && v.lookAfterKill(c) {
				found++
			}
			used += c.allowed
		}
	}
	v.kill()
	t.Logf("%d answers found, %d used", found, used)
}

// lookAfterKill looks for an answer that was acknowledged before the server was killed, and uses it.
// It reports false if the grace of the answer was over by then, on a slow machine.
func (v *victim) lookAfterKill(c *acknowledged) (inTime bool) {
	t, client := v.t, &http.Client{}
	defer client.CloseIdleConnections()
	found, ok := v.do(client, "approve", http.MethodGet, "/v1/approvals/"+c.id, "")
	for range 2 {
		if d, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", execBody(c.command)); ok && d["decision"] == "allow" {
			c.allowed++
		}
	}
	assert.LessOrEqual(t, c.allowed, 1, "used twice")
	if found["state"] == "consumed" {
		assert.True(t, c.tried, "nobody used it")
	}
	if time.Since(c.since) >= approvals.Grace {
		return false
	}
	if assert.True(t, ok, "an answer that was acknowledged is gone: %s", c.id) && !c.tried {
		assert.Equal(t, "resolved", found["state"])
		assert.Equal(t, 1, c.allowed, "an answer that nobody had used")
	}
	return true
}

// workUntilKilled has clients ask, answer and use, and kills the server in the middle.
func (v *victim) workUntilKilled(round int) []*acknowledged {
	var mu sync.Mutex
	var list []*acknowledged
	v.killAfter(int64(12+5*round), func(client *http.Client, worker, i int) bool {
		c := &acknowledged{command: fmt.Sprintf("rm %d-%d-%d", round, worker, i)}
		alive := v.runCall(client, c, i%2 == 0)
		mu.Lock()
		defer mu.Unlock()
		list = append(list, c)
		return alive
	})
	return list
}

// killAfter has four clients work, each until its work says that the server is gone, and kills
// the server after so many pieces of work.
func (v *victim) killAfter(enough int64, work func(client *http.Client, worker, i int) (alive bool)) {
	var done atomic.Int64
	reached := make(chan struct{})
	var working sync.WaitGroup
	for worker := range 4 {
		working.Go(func() {
			client := &http.Client{Transport: &http.Transport{}}
			defer client.CloseIdleConnections()
			for i := 0; work(client, worker, i); i++ {
				if done.Add(1) == enough {
					close(reached)
				}
			}
		})
	}
	stopped := make(chan struct{})
	go func() { working.Wait(); close(stopped) }()
	select {
	case <-reached:
	case <-stopped:
		assert.Fail(v.t, "the clients stopped before the server was killed")
	}
	v.kill()
	<-stopped
}

// runCall asks, answers and uses one call, for as long as the server lives.
func (v *victim) runCall(client *http.Client, c *acknowledged, use bool) bool {
	asked, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", execBody(c.command))
	if !ok {
		return false
	}
	pending, _ := asked["approval"].(map[string]any)
	c.id, _ = pending["id"].(string)
	c.since = time.Now()
	if _, ok = v.do(client, "approve", http.MethodPost, "/v1/approvals/"+c.id+"/resolve", `{"decision":"allow-once"}`); !ok {
		return false
	}
	c.answered = true
	if !use {
		return true
	}
	c.tried = true
	d, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", execBody(c.command))
	if ok && d["decision"] == gavel.Allow.String() {
		c.allowed++
	}
	return ok
}
