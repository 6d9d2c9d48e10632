package server_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"gavel"
	"gavel/hook"
	"gavel/hosts"
	"gavel/server"
)

// realHooks are what gavel serve has.
type realHooks struct{}

func (realHooks) Answer(ctx context.Context, from server.HookCaller, payload []byte, decide server.DecideAll) []byte {
	return hook.Run(ctx, hook.Config{Host: from.Host, Process: hosts.ProcessInfo{Agent: from.Agent, Unattended: from.Unattended, Probe: from.Probe}, Decide: decide}, payload).HTTP()
}

func (realHooks) Fail(host string, payload []byte, err error) []byte {
	return hook.Fail(host, payload, err).HTTP()
}

// claudeHook is a payload of Claude Code, of which the fake snapshot allows Read and asks for Bash.
func claudeHook(tool, input string) string {
	return `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"` + tool + `","tool_input":` + input + `}`
}

func hooking(t *testing.T, change func(*server.Config)) *server.Server {
	t.Helper()
	cfg := config(t)
	cfg.Hooks = realHooks{}
	if change != nil {
		change(&cfg)
	}
	return newServer(t, cfg)
}

func TestEachHostGetsAnswersInItsOwnFormat(t *testing.T) {
	s := hooking(t, nil)
	read, run := claudeHook("Read", `{"file_path":"/x"}`), claudeHook("Bash", `{"command":"ls"}`)
	for about, c := range map[string][3]string{
		"allowed":              {"/hooks/claude-code", read, `"permissionDecision":"allow"`},
		"asked":                {"/hooks/claude-code", run, `"permissionDecision":"ask"`},
		"asked, nobody there":  {"/hooks/claude-code?unattended=true", run, `"permissionDecision":"deny"`},
		"denied":               {"/hooks/claude-code", claudeHook("Write", `{"file_path":"/x","content":""}`), `"permissionDecision":"deny"`},
		"an event without one": {"/hooks/claude-code", `{"session_id":"s","transcript_path":"/t","hook_event_name":"Stop"}`, `{}`},
	} {
		t.Run(about, func(t *testing.T) {
			w := request{method: http.MethodPost, path: c[0], token: gatewayToken, body: c[1]}.do(s)
			assert.Equal(t, http.StatusOK, w.Code)
			assert.Equal(t, "application/json", w.Header().Get("Content-Type"))
			assert.Contains(t, w.Body.String(), c[2])
		})
	}
}

func TestTheAgentOfAHookIsInItsURL(t *testing.T) {
	var agents []string
	s := hooking(t, func(c *server.Config) {
		c.PDP.Analyzer = fakeAnalyzer{func(call gavel.Call) gavel.Facts {
			agents = append(agents, call.Agent.ID)
			return gavel.Facts{}
		}}
	})
	for _, query := range []string{"", "?agent=coder"} {
		request{method: http.MethodPost, path: "/hooks/claude-code" + query, token: gatewayToken, body: claudeHook("Read", `{"file_path":"/x"}`)}.do(s)
	}
	assert.Equal(t, []string{"claude-code", "coder"}, agents)
}

func TestAProbeIsInTheURLOfAHook(t *testing.T) {
	var probes []bool
	s := hooking(t, func(c *server.Config) {
		c.PDP.Analyzer = fakeAnalyzer{func(call gavel.Call) gavel.Facts {
			probes = append(probes, call.Host.Probe)
			return gavel.Facts{}
		}}
	})
	for _, query := range []string{"", "?probe=true", "?probe=false", "?probe=1", "?probe=true&probe=false"} {
		request{method: http.MethodPost, path: "/hooks/claude-code" + query, token: gatewayToken, body: claudeHook("Read", `{"file_path":"/x"}`)}.do(s)
	}
	assert.Equal(t, []bool{false, true, false}, probes, "any other value is refused")
}

// Most hosts run the tool after any other status than 200.
func TestEveryHookFailureIsADenyWithStatus200(t *testing.T) {
	read := claudeHook("Read", `{"file_path":"/x"}`)
	good := request{method: http.MethodPost, path: "/hooks/claude-code", token: gatewayToken, body: read}
	with := func(change func(*request)) request {
		q := good
		change(&q)
		return q
	}
	for about, c := range map[string]struct {
		request request
		config  func(*server.Config)
	}{
		"no token":           {request: with(func(q *request) { q.token = "" })},
		"a wrong token":      {request: with(func(q *request) { q.token = "wrong" })},
		"another scope":      {request: with(func(q *request) { q.token = adminToken })},
		"claims of an agent": {request: with(func(q *request) { q.token = decideToken })},
		"garbage":            {request: with(func(q *request) { q.body = "garbage" })},
		"nothing":            {request: with(func(q *request) { q.body = "" })},
		"another host":       {request: with(func(q *request) { q.path = "/hooks/codex" })},
		"an unknown host":    {request: with(func(q *request) { q.path = "/hooks/other" })},
		"a path below":       {request: with(func(q *request) { q.path = "/hooks/claude-code/x" })},
		"another method":     {request: with(func(q *request) { q.method = http.MethodPut })},
		"a query":            {request: with(func(q *request) { q.path += "?explain=true" })},
		"two agents":         {request: with(func(q *request) { q.path += "?agent=a&agent=b" })},
		"another media type": {request: with(func(q *request) { q.header = map[string]string{"Content-Type": "text/plain"} })},
		"a web page":         {request: with(func(q *request) { q.header = map[string]string{"Origin": "https://evil.test"} })},
		"another Host":       {request: with(func(q *request) { q.host = "evil.test" })},
		"a large body":       {request: good, config: func(c *server.Config) { c.MaxBody = 16 }},
		"no policy":          {request: good, config: func(c *server.Config) { c.PDP.Policy = &fakePolicy{none: true} }},
		"a panic": {request: good, config: func(c *server.Config) {
			c.PDP.Analyzer = fakeAnalyzer{func(gavel.Call) gavel.Facts { panic("x") }}
		}},
	} {
		t.Run(about, func(t *testing.T) {
			w := c.request.do(hooking(t, c.config))
			assert.Equal(t, http.StatusOK, w.Code)
			text := w.Body.String()
			assert.Contains(t, text, "deny")
			assert.NotContains(t, text, "allow\"")
			assert.False(t, strings.HasPrefix(text, `{"error"`), text)
		})
	}
}
