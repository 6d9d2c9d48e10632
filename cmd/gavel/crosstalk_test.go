package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/server"
)

// stallingPDP is a decision point in which some calls stand still in the middle: those whose words say
// lateAnalysis or lateJudgement until all others have their answers, and so longer than the time
// limit, and those that say cut until their client has gone.
type stallingPDP struct {
	gavel.Analyzer
	gavel.Snapshot
	finish chan struct{}

	mu      sync.Mutex
	stopped map[string]chan struct{} // by mark: closed when its call stands still
	late    map[string]string        // by mark: everything that the policy saw, after the answer
	logged  []string
}

// marks are the words by which calls are told apart.
func marks(text string) []string { return regexp.MustCompile(`c\d+n\d+x`).FindAllString(text, -1) }

// Current implements gavel.Policy.
func (c *stallingPDP) Current() gavel.Snapshot { return c }

// stop is the channel that is closed when the call with a mark stands still.
func (c *stallingPDP) stop(mark string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped[mark] == nil {
		c.stopped[mark] = make(chan struct{})
	}
	return c.stopped[mark]
}

// Analyze implements gavel.Analyzer.
func (c *stallingPDP) Analyze(ctx context.Context, call gavel.Call, policy *gavel.AnalyzerSettings) gavel.Facts {
	text, _ := call.Tool.Params["command"].(string)
	if strings.Contains(text, "lateAnalysis") {
		<-c.finish
		ctx = context.WithoutCancel(ctx)
	}
	return c.Analyzer.Analyze(ctx, call, policy)
}

// Decide implements gavel.Snapshot.
func (c *stallingPDP) Decide(ctx context.Context, facts gavel.Facts, explain bool) gavel.Decision {
	command, _ := facts.Tool.Params["command"].(string)
	mark := marks(command)[0]
	switch {
	case strings.Contains(command, "lateJudgement"):
		<-c.finish
	case strings.Contains(command, "cut"):
		close(c.stop(mark))
		<-ctx.Done()
	case !strings.Contains(command, "lateAnalysis"):
		return c.Snapshot.Decide(ctx, facts, explain)
	}
	decision := c.Snapshot.Decide(context.WithoutCancel(ctx), facts, explain)
	text, err := json.Marshal([]any{facts, decision})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late[mark] = fmt.Sprint(string(text), err)
	return decision
}

// Record implements gavel.DecisionLog.
func (c *stallingPDP) Record(_ context.Context, event gavel.Event) error {
	text, err := json.Marshal([]any{event.Facts, event.Decision})
	c.mu.Lock()
	defer c.mu.Unlock()
	c.logged = append(c.logged, string(text))
	return err
}

// opened returns a server of the crowd, with the shipped policy and this machine's analyzer.
func (c *stallingPDP) opened(t *testing.T) *httptest.Server {
	t.Helper()
	policy := filepath.Join(t.TempDir(), "policy.yaml")
	require.NoError(t, os.WriteFile(policy, []byte("tools: {exec: {host: gateway, security: full, ask: \"off\"}}\nagents: {main: {}}\n"), 0o600))
	a, _, _ := testApp("")
	pdp, err := a.load(t.Context(), policy)
	require.NoError(t, err)
	c.Analyzer, c.Snapshot = pdp.Analyzer, pdp.Policy.Current()
	pdp.Analyzer, pdp.Policy, pdp.Log, pdp.Timeout = c, c, c, 10*time.Second
	tokens, err := server.NewTokens(map[string]string{"gateway": gatewayToken})
	require.NoError(t, err)
	s, err := server.New(server.Config{PDP: pdp, Status: func() gavel.PolicyStatus { return gavel.PolicyStatus{} }, Tokens: tokens})
	require.NoError(t, err)
	return httptest.NewServer(s.Handler())
}

// asks sends a command, and returns the answer, or what failed.
func asks(ctx context.Context, web *httptest.Server, command string) (string, error) {
	body, err := json.Marshal(gavel.Call{Agent: gavel.Agent{ID: "main"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
		Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Executables: map[string]string{"cat": "/usr/bin/cat", "rg": "/usr/bin/rg"}}})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, web.URL+"/v1/decisions", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+gatewayToken)
	answer, err := web.Client().Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close() //nolint:errcheck // it is read
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}

// Room that the server, the analyzer and the policy use again has nothing of another call: neither
// while many are decided, nor when a client leaves or the time is over in the middle of a decision.
func TestNoAnswerContainsWordsOfAnotherCall(t *testing.T) {
	t.Parallel()
	c := &stallingPDP{finish: make(chan struct{}), stopped: map[string]chan struct{}{}, late: map[string]string{}}
	web := c.opened(t)
	defer web.Close()
	var late sync.WaitGroup
	for n := range 6 { // fewer than may be stuck
		late.Go(func() {
			mark := fmt.Sprintf("c%dn%dx", 100+n, n)
			answer, err := asks(t.Context(), web, fmt.Sprintf("cat %s | rg %s %s", mark, mark, []string{"lateAnalysis", "lateJudgement"}[n%2]))
			assert.NoError(t, err)
			assert.Contains(t, answer, gavel.CodeEvaluationTimeout)
			assert.Subset(t, []string{mark}, marks(answer))
		})
	}
	c.ask(t, web, 0)
	late.Wait()
	close(c.finish) // those that are late go on while others are decided
	c.ask(t, web, 10)
	c.check(t, 6+2*8*4, 6+2*8*40)
}

// ask decides the calls of eight clients at once, some of which leave before they have an answer.
func (c *stallingPDP) ask(t *testing.T, web *httptest.Server, from int) {
	t.Helper()
	var asking sync.WaitGroup
	for client := range 8 {
		asking.Go(func() {
			for n := range 40 {
				mark := fmt.Sprintf("c%dn%dx", from+client, n)
				if n%10 == 9 {
					c.leaves(t, web, mark)
					continue
				}
				path := "src/" + strings.Repeat(mark+"/", n%7)
				answer, err := asks(t.Context(), web, fmt.Sprintf("rg %s %s | cat %s", mark, path, mark))
				if !assert.NoError(t, err) || !assert.Contains(t, answer, `"decision":"allow"`) {
					return
				}
				assert.Contains(t, answer, path)
				for _, other := range marks(answer) {
					assert.Equal(t, mark, other, answer)
				}
			}
		})
	}
	asking.Wait()
}

// leaves asks, and leaves as soon as the decision has begun.
func (c *stallingPDP) leaves(t *testing.T, web *httptest.Server, mark string) {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-c.stop(mark)
		leave()
	}()
	_, err := asks(ctx, web, "cat "+mark+" cut")
	assert.Error(t, err)
}

// check waits until every call has ended, and looks at what the policy and the log saw.
func (c *stallingPDP) check(t *testing.T, late, logged int) {
	t.Helper()
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.late) == late && len(c.logged) == logged
	}, time.Minute, 10*time.Millisecond)
	for mark, text := range c.late {
		for _, other := range marks(text) {
			assert.Equal(t, mark, other, text)
		}
	}
	for _, text := range c.logged {
		found := marks(text)
		for _, other := range found {
			assert.Equal(t, found[0], other, text)
		}
	}
}
