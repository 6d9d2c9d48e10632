//go:build linux

package service_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/client"
	"gavel/runner"
	"gavel/runner/service"
	"gavel/runner/sessions"
	"gavel/server"
	"gavel/server/access"
)

// The test program is also the supervisor.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "__supervise" {
		blocked := func() (*runner.Blocked, error) { return &runner.Blocked{}, nil }
		if err := runner.Supervise(os.NewFile(3, "runner"), blocked); err != nil {
			panic(err)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// recorder allows everything, and remembers the calls.
type recorder struct {
	mu    sync.Mutex
	calls []gavel.Call
}

func (r *recorder) Decide(_ context.Context, call gavel.Call) (gavel.Decision, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls = append(r.calls, call)
	d := gavel.Decision{ID: "d", Effect: gavel.Allow}
	if text, ok := call.Tool.Params["command"].(string); ok {
		at := call.Environment.Cwd
		if dir, given := call.Tool.Params["workdir"].(string); given {
			at = dir
		}
		d.Exec = &gavel.Exec{Host: "gateway", Command: text, Pins: &gavel.Pins{Directory: at, Shell: "bash"}}
	}
	return d, nil
}

func (*recorder) Wait(context.Context, gavel.Decision) (client.Answer, error) {
	return client.Answer{}, errors.New("nobody")
}

func open(t *testing.T) (*service.Service, *recorder, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	authority := &recorder{}
	store, err := sessions.New(sessions.Config{Supervisor: []string{os.Args[0], "__supervise"}, Authority: authority, Order: runner.Order{Host: "gateway"}})
	require.NoError(t, err)
	t.Cleanup(store.Close)
	return &service.Service{Store: store, Cwd: dir, Shell: "bash"}, authority, dir
}

// post makes a request with a credential, as the server hands it over.
func post(t *testing.T, s *service.Service, route, body string, speaks *gavel.CallerFacts) (map[string]any, error) {
	t.Helper()
	w := httptest.NewRecorder()
	err := s.Handlers()[route](w, httptest.NewRequest("POST", "/", strings.NewReader(body)), gavel.Caller{Speaks: speaks})
	if err != nil {
		assert.Empty(t, w.Body.String(), "an error has written nothing")
		return nil, err
	}
	var answer map[string]any
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), &answer))
	return answer, nil
}

func coder() *gavel.CallerFacts {
	return &gavel.CallerFacts{Agents: []string{"coder*"}, Sessions: []string{"agent:coder"}}
}

func TestTheParametersOfACallReachTheDecisionUnchanged(t *testing.T) {
	s, authority, dir := open(t)
	answer, err := post(t, s, "POST /v1/exec", `{"agent":"coder","sessionKey":"agent:coder:main","tool":"exec","command":"pwd; echo $A","workdir":"/","env":{"A":"1"},"timeout":60,"security":"deny","ask":"always","elevated":true}`, coder())
	require.NoError(t, err)
	assert.Equal(t, "completed", answer["status"])
	assert.Equal(t, "/\n\n", answer["output"], "a variable that the decision does not have is not set")
	call := authority.calls[0]
	assert.Equal(t, map[string]any{"command": "pwd; echo $A", "workdir": "/", "env": map[string]any{"A": "1"}, "timeout": 60.0, "security": "deny", "ask": "always", "elevated": true}, call.Tool.Params)
	assert.Equal(t, []string{"coder", "agent:coder:main", "exec", dir}, []string{call.Agent.ID, call.Session.Key, call.Tool.Name, call.Environment.Cwd})
}

func TestACredentialRunsForItsAgentsAndSessionsOnly(t *testing.T) {
	s, authority, _ := open(t)
	for _, body := range []string{`{"agent":"main","sessionKey":"agent:coder","command":"true"}`, `{"agent":"coder","command":"true"}`, `{"agent":"coder","sessionKey":"agent:main","command":"true"}`, `{"agent":"","command":"true"}`} {
		_, err := post(t, s, "POST /v1/exec", body, coder())
		assert.Error(t, err, body)
		_, err = post(t, s, "POST /v1/exec", strings.Replace(body, `"main"`, `"coder"`, 1), nil)
		assert.Error(t, err, "a credential that speaks for nobody")
		_, err = post(t, s, "POST /v1/process", strings.Replace(body, `"command":"true"`, `"action":"list"`, 1), coder())
		assert.Error(t, err, body)
	}
	assert.Empty(t, authority.calls)
	_, err := post(t, s, "POST /v1/exec", `{"agent":"CODER-2","sessionKey":"agent:coder:x","command":"true"}`, coder())
	assert.NoError(t, err)
}

func TestACredentialSeesTheSessionsForWhichItSpeaks(t *testing.T) {
	s, _, _ := open(t)
	all := &gavel.CallerFacts{Agents: []string{"*"}}
	answer, err := post(t, s, "POST /v1/exec", `{"agent":"coder","sessionKey":"private:coder","command":"read x","background":true}`, all)
	require.NoError(t, err)
	id := answer["sessionId"].(string)
	for _, body := range []string{`{"agent":"coder","sessionKey":"agent:coder","action":"poll","sessionId":"` + id + `"}`, `{"agent":"coder","sessionKey":"agent:coder","action":"write","data":"x","sessionId":"` + id + `"}`} {
		answer, err := post(t, s, "POST /v1/process", body, coder())
		require.NoError(t, err)
		assert.Equal(t, "denied", answer["status"], body)
		assert.Contains(t, answer["reason"].(map[string]any)["message"], "no session")
	}
	answer, err = post(t, s, "POST /v1/process", `{"agent":"coder","action":"poll","sessionId":"`+id+`"}`, all)
	require.NoError(t, err)
	assert.Equal(t, "running", answer["status"])
}

func TestOutputThatIsNotTextIsReturned(t *testing.T) {
	s, _, _ := open(t)
	for name, printed := range map[string]string{"bytes": `\\377\\000x`, "half a character": `\\303`} {
		answer, err := post(t, s, "POST /v1/exec", `{"agent":"coder","sessionKey":"agent:coder","command":"printf '`+printed+`'; exit 3","yieldMs":0}`, coder())
		require.NoError(t, err, name)
		assert.Equal(t, "completed", answer["status"], name)
		assert.Equal(t, 3.0, answer["exitCode"], name)
		assert.Contains(t, answer["output"], "\uFFFD", name)
	}
}

func TestACommandThatTheSystemCannotStartIsRefusedByName(t *testing.T) {
	s, _, _ := open(t)
	long := strings.Repeat("x", 200_000) // no argument may be so long
	answer, err := post(t, s, "POST /v1/exec", `{"agent":"coder","sessionKey":"agent:coder","command":"true `+long+`"}`, coder())
	require.NoError(t, err)
	assert.Equal(t, "denied", answer["status"])
	assert.Equal(t, "runner.start", answer["reason"].(map[string]any)["code"])
	assert.Contains(t, answer["reason"].(map[string]any)["message"], "argument list too long")
	assert.Contains(t, answer["reason"].(map[string]any)["fix"], "shorter arguments")
}

func TestInputThatIsNotARequestIsRefused(t *testing.T) {
	s, authority, _ := open(t)
	all := &gavel.CallerFacts{Agents: []string{"*"}}
	for _, body := range []string{"", "{}", "[]", `{"agent":"a","command":1}`, `{"agent":"a","comand":"x"}`, `{"agent":"a","command":"x","command":"y"}`, `{"agent":"a","command":"x","timeout":-1}`,
		`{"agent":"a","command":"x","timeout":1e300}`, `{"agent":"a","command":"x","yieldMs":-1}`, `{"agent":"a","command":"x","cwd":"relative"}`, `{"agent":"a","tool":"process","command":"x"}`, `{"agent":"a","command":"x","caller":{}}`} {
		_, err := post(t, s, "POST /v1/exec", body, all)
		assert.Error(t, err, body)
	}
	for _, name := range []string{"timeout", "yieldMs"} {
		_, err := post(t, s, "POST /v1/exec", `{"agent":"a","command":"x","`+name+`":-1}`, all)
		require.ErrorContains(t, err, name+" is a number")
	}
	assert.Empty(t, authority.calls)
	answer, err := post(t, s, "POST /v1/process", `{"agent":"a","action":"poll","sessionId":"none"}`, all)
	require.NoError(t, err)
	assert.Equal(t, "denied", answer["status"])
	answer, err = post(t, s, "POST /v1/process", `{"agent":"a","action":"fly","sessionId":"none"}`, all)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"message": `process has no action "fly"`, "fix": "use one of list, poll, log, write, send-keys, submit, paste, kill, clear, remove"}, answer["reason"])
	answer, err = post(t, s, "POST /v1/process", `{"agent":"a","action":"list"}`, all)
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"sessions": []any{}}, answer, "a list of none")
}

func TestLinesAreAnsweredWithTheirIds(t *testing.T) {
	s, _, _ := open(t)
	var out bytes.Buffer
	lines := service.NewLines(&out)
	in := `{"id":1,"exec":{"agent":"main","command":"echo one"}}` + "\n" + `{"id":"two","process":{"agent":"main","action":"list"}}` + "\nnonsense\n" + `{"id":4}` + "\n"
	require.NoError(t, lines.Serve(t.Context(), s, strings.NewReader(in+`{"id":5,"exec":{"agent":"main"},"process":{"agent":"main"}}`+"\n")))
	got := out.String()
	assert.Equal(t, 5, strings.Count(got, "\n"), got)
	assert.Contains(t, got, `{"id":"two","result":`)
	assert.Contains(t, got, `{"id":null,"error":`)
	for _, id := range []string{"4", "5"} {
		assert.Contains(t, got, `{"id":`+id+`,"error":"a request has either exec or process"}`)
	}
}

func TestTheTableHasARowForEachHandler(t *testing.T) {
	s, _, _ := open(t)
	rows := map[string]gavel.Right{}
	for _, row := range access.Routes() {
		rows[row.Key()] = row.Need
	}
	for key := range s.Handlers() {
		assert.Equal(t, gavel.RightRun, rows[key], key)
	}
	var _ map[string]server.Handler = s.Handlers()
	for _, row := range gavel.Scopes() {
		assert.Equal(t, row.Scope == gavel.ScopeRun, row.Rights&gavel.RightRun != 0, "%s", row.Scope)
	}
}
