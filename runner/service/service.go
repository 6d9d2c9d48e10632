//go:build linux

package service

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"time"

	"gavel"
	"gavel/internal/strictjson"
	"gavel/runner"
	"gavel/runner/sessions"
)

// Service carries out calls.
type Service struct {
	Store *sessions.Store
	Base  runner.Base
	Cwd   string // if a call states none
	Shell string // what runs texts
}

// about is what both requests say beside the parameters of the tool.
type about struct{ agent, key, tool string }

// execRequest is a call of exec: the parameters of the tool, and about whom it is.
type execRequest struct {
	Agent      string `json:"agent"`
	SessionKey string `json:"sessionKey"` // of the call
	Tool       string `json:"tool"`       // exec, if it is stated

	Cwd  string `json:"cwd"` // of the agent, which workdir is relative to
	Rows uint16 `json:"rows"`
	Cols uint16 `json:"cols"`

	Command    string            `json:"command"`
	Workdir    string            `json:"workdir"`
	Env        map[string]string `json:"env"`
	YieldMs    float64           `json:"yieldMs"`
	Background bool              `json:"background"`
	Timeout    float64           `json:"timeout"`
	Pty        bool              `json:"pty"`
	Host       string            `json:"host"`
	Security   string            `json:"security"`
	Ask        string            `json:"ask"`
	Node       string            `json:"node"`
	Elevated   bool              `json:"elevated"`
}

// refused is the answer to a request that was refused: the same as of a command.
type refused struct {
	Status string           `json:"status"`
	Reason *sessions.Reason `json:"reason"`
}

// mostTime is the longest time of a parameter.
const mostTime = 7 * 24 * time.Hour

// exec answers a call of exec. speaks is for whom the caller may speak; nil is everybody.
func (s *Service) exec(ctx context.Context, body []byte, speaks *gavel.CallerFacts) (any, error) {
	var r execRequest
	if err := strictjson.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	call, err := s.call(&about{r.Agent, r.SessionKey, r.Tool}, "exec", body, speaks, "cwd", "rows", "cols")
	if err != nil {
		return nil, err
	}
	switch {
	case r.Timeout < 0 || r.Timeout > mostTime.Seconds():
		return nil, &gavel.InputError{Path: "/timeout", Message: "timeout is a number of seconds, not negative and a week at most"}
	case r.YieldMs < 0 || r.YieldMs > float64(mostTime.Milliseconds()):
		return nil, &gavel.InputError{Path: "/yieldMs", Message: "yieldMs is a number of milliseconds, not negative and a week at most"}
	}
	cwd := r.Cwd
	if cwd == "" {
		cwd = s.Cwd
	}
	if !filepath.IsAbs(cwd) {
		return nil, &gavel.InputError{Path: "/cwd", Message: "cwd is not an absolute path"}
	}
	call.Environment.Cwd = cwd
	shown, err := s.Store.Run(ctx, sessions.Exec{Call: call, Cwd: cwd, Yield: time.Duration(r.YieldMs * float64(time.Millisecond)), Background: r.Background,
		Timeout: time.Duration(r.Timeout * float64(time.Second)), Pty: r.Pty, Rows: r.Rows, Cols: r.Cols})
	if err != nil {
		return refusedBy(err), nil
	}
	return shown, nil
}

// process answers a call of process.
func (s *Service) process(ctx context.Context, body []byte, speaks *gavel.CallerFacts) (any, error) {
	var r sessions.Action
	if err := strictjson.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	call, err := s.call(&about{r.Agent, r.SessionKey, r.Tool}, "process", body, speaks)
	if err != nil {
		return nil, err
	}
	r.Speaks = speaks
	answer, err := s.Store.Process(ctx, call, r)
	if err != nil {
		return refusedBy(err), nil
	}
	return answer, nil
}

// call is the call of a request: what it says about whom it is, and every other member as a
// parameter, as it was given.
func (s *Service) call(a *about, tool string, body []byte, speaks *gavel.CallerFacts, other ...string) (gavel.Call, error) {
	switch {
	case a.agent == "":
		return gavel.Call{}, &gavel.InputError{Path: "/agent", Message: "agent is missing", Fix: "state the id of the agent"}
	case a.tool != "" && a.tool != tool:
		return gavel.Call{}, &gavel.InputError{Path: "/tool", Message: fmt.Sprintf("the tool is %q, and this is for %s", a.tool, tool)}
	case speaks != nil && !speaks.SpeaksFor(a.agent, a.key):
		return gavel.Call{}, &gavel.ApprovalError{Code: "scope_required", Message: fmt.Sprintf("the credential may not run commands for agent %q in this session", a.agent), Fix: "use a token that names the agent"}
	}
	params := map[string]any{}
	if err := json.Unmarshal(body, &params); err != nil {
		return gavel.Call{}, err
	}
	for _, name := range append(other, "agent", "sessionKey", "tool") {
		delete(params, name)
	}
	list := s.Base.Path
	if list == nil {
		list = runner.SystemPath()
	}
	return gavel.Call{ID: rand.Text(), Agent: gavel.Agent{ID: a.agent}, Session: gavel.Session{Key: a.key}, Tool: gavel.Tool{Name: tool, Params: params},
		Environment: &gavel.Environment{Home: s.Base.Home, Path: list, Platform: runtime.GOOS, Shell: s.Shell}}, nil
}

func refusedBy(err error) refused {
	reason := &sessions.Reason{Message: err.Error()}
	var refusal *runner.Refusal
	if errors.As(err, &refusal) {
		reason = &sessions.Reason{Code: refusal.Code, Message: refusal.Message, Fix: refusal.Fix}
	}
	return refused{sessions.StatusDenied, reason}
}
