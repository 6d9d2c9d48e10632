package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// logVictim is a victim that keeps a decision log.
func logVictim(t *testing.T, args ...string) *victim {
	t.Helper()
	dir, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(dir)) })
	policy := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(policy, []byte(asking), 0o644))
	return &victim{t: t, policy: policy, dir: dir, args: args}
}

// interrupted ends a victim in order; it returns its log, and of that the lines of decisions.
func (v *victim) interrupted() (log string, decisions []string) {
	v.t.Helper()
	require.NoError(v.t, v.process.Process.Signal(os.Interrupt))
	require.NoError(v.t, v.process.Wait())
	log = decisionLog(v.t, v.dir)
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"decision_id"`) {
			decisions = append(decisions, line)
		}
	}
	return log, decisions
}

// logged are the decisions in a victim's log, and how many lines cannot be read.
func (v *victim) logged() (all map[string]bool, torn, repaired int) {
	files, err := filepath.Glob(filepath.Join(v.dir, "decisions*.jsonl"))
	require.NoError(v.t, err)
	all = map[string]bool{}
	for _, name := range files {
		file, err := os.Open(name)
		require.NoError(v.t, err)
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var line struct {
				ID   string `json:"decision_id"`
				Kind string `json:"kind"`
			}
			switch err := json.Unmarshal(lines.Bytes(), &line); {
			case err != nil:
				torn++
			case line.Kind == "log.repaired":
				repaired++
			default:
				all[line.ID] = true
			}
		}
		require.NoError(v.t, lines.Err())
		require.NoError(v.t, file.Close())
	}
	return all, torn, repaired
}

// heavyBody is a call whose parameters are large.
func heavyBody(i int) string {
	return fmt.Sprintf(`{"agent":{"id":"main"},"tool":{"name":"web_search","params":{"n":%d,"query":[%s1]}}}`, i, strings.Repeat("[[1]],", 500))
}

// decideUntilKilled has clients ask, and kills the server in the middle; it returns the
// decisions that were answered.
func (v *victim) decideUntilKilled(enough int64) (answered []string) {
	var mu sync.Mutex
	v.killAfter(enough, func(client *http.Client, worker, i int) bool {
		body := heavyBody(i)
		if worker%2 == 0 {
			body = execBody(fmt.Sprintf("ls %d", i))
		}
		answer, alive := v.do(client, "gateway", http.MethodPost, "/v1/decisions", body)
		if alive {
			mu.Lock()
			defer mu.Unlock()
			answered = append(answered, fmt.Sprint(answer["id"]))
		}
		return alive
	})
	return answered
}

// A process is killed in a loop while clients ask. GAVEL_KILLS says how often.
func TestRT02KillingAStrictServerLosesNoDecisionThatWasAnswered(t *testing.T) {
	t.Parallel()
	rounds := 5
	if text := os.Getenv("GAVEL_KILLS"); text != "" {
		var err error
		rounds, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	v := logVictim(t, "--log-mode", "strict", "--log-max-size", "1", "--log-max-backups", "0")
	var answered []string
	for round := range rounds {
		v.start()
		answered = append(answered, v.decideUntilKilled(int64(10+7*(round%10)))...)
	}
	v.start()
	v.kill()
	all, torn, repaired := v.logged()
	missing := 0
	for _, id := range answered {
		if !all[id] {
			missing++
		}
	}
	t.Logf("%d kills: %d decisions answered, %d missing, %d lines in all, %d torn and %d of these repaired", rounds, len(answered), missing, len(all), torn, repaired)
	assert.Zero(t, missing)
	assert.GreaterOrEqual(t, repaired, torn, "each torn line is ended, and said to be torn")
	assert.Greater(t, len(answered), 10)
}

func TestRT02AStopWaitsForTheLog(t *testing.T) {
	t.Parallel()
	state, err := os.MkdirTemp("", "gavel") // short: a socket's path has a limit
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, os.RemoveAll(state)) })
	written, out := io.Pipe() // a log that takes nothing until somebody reads it
	a, _, _ := testApp("")
	said, errs := io.Pipe()
	a.stdout, a.stderr = out, errs
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan int, 1)
	go func() {
		done <- a.run(ctx, []string{"serve", "--output", "json", "--listen", "127.0.0.1:0", "--timeout", patience, "--state", state, "--log", "-"})
		_ = out.Close()
		_ = errs.Close()
	}()
	var n announcement
	for saying := newLines(said); n.Listen == ""; {
		line, err := saying.next()
		require.NoError(t, err)
		_ = json.Unmarshal(line, &n) // or a line for operators
	}
	go func() { _, _ = io.Copy(io.Discard, said) }()
	token, err := os.ReadFile(filepath.Join(n.Tokens, "gateway.token"))
	require.NoError(t, err)
	answered := map[string]bool{}
	for range 20 {
		answered[ask(t, http.DefaultClient, n.Listen, strings.TrimSpace(string(token))).ID] = true
	}
	require.Len(t, answered, 20)
	stop()
	select { // one that does not wait ends within milliseconds; a slow machine only lets it pass
	case <-done:
		require.Fail(t, "it ended, and its log was not written")
	case <-time.After(500 * time.Millisecond):
	}
	lines := newLines(written)
	for line, err := lines.next(); err == nil; line, err = lines.next() {
		var event struct {
			ID string `json:"decision_id"`
		}
		require.NoError(t, json.Unmarshal(line, &event))
		delete(answered, event.ID)
	}
	assert.Empty(t, answered, "each that was answered is in the log")
	assert.Equal(t, exitOK, <-done)
}

func TestRT27ARemovedLogIsCreatedAgain(t *testing.T) {
	t.Parallel()
	v := logVictim(t)
	v.start()
	client := &http.Client{}
	path := filepath.Join(v.dir, "decisions.jsonl")
	var answered []string
	for _, take := range []func() error{
		func() error { return os.Rename(path, filepath.Join(v.dir, "decisions-1.jsonl")) }, // as logrotate does
		func() error { return nil },
		func() error { return os.Rename(path, filepath.Join(v.dir, "decisions-2.jsonl")) },
	} {
		answer, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", execBody("ls"))
		require.True(t, ok)
		answered = append(answered, fmt.Sprint(answer["id"]))
		require.Eventually(t, func() bool { all, _, _ := v.logged(); return all[answered[len(answered)-1]] }, wait, tick)
		require.NoError(t, take())
	}
	answer, ok := v.do(client, "gateway", http.MethodPost, "/v1/decisions", execBody("ls"))
	require.True(t, ok)
	require.NoError(t, v.process.Process.Signal(syscall.SIGTERM))
	require.NoError(t, v.process.Wait())
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Contains(t, string(text), fmt.Sprint(answer["id"]), "the file of that name goes on")
	assert.Contains(t, string(text), "log.reopened")
	all, _, _ := v.logged()
	for _, id := range answered {
		assert.True(t, all[id], id)
	}
}

func TestServeRefusesALogThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ args, want string }{
		{"--log-mode fast", `--log-mode "fast" is unknown`},
		{"--log-mode strict --log -", "standard output cannot be synced"},
		{"--log-mode strict --log off", "--log is off"},
		{"--log-max-size 0", "not a file size"},
		{"--log-max-backups -1", "must not be negative"},
		{"--log-max-age -1", "must not be negative"},
	} {
		a, _, stderr := testApp("")
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--state", t.TempDir()}, strings.Fields(test.args)...)
		assert.NotEqual(t, exitOK, a.run(t.Context(), args), test.args)
		assert.Contains(t, stderr.String(), test.want)
	}
}
