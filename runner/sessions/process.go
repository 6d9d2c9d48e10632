//go:build linux

package sessions

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gavel"
	"gavel/client"
	"gavel/runner"
)

// Action is a call of the tool process.
type Action struct {
	Agent      string `json:"agent"`
	SessionKey string `json:"sessionKey,omitempty"` // of the call
	Tool       string `json:"tool,omitempty"`       // process, if it is stated

	Action    string   `json:"action"`
	Session   string   `json:"sessionId,omitempty"`
	Data      string   `json:"data,omitempty"`
	Text      string   `json:"text,omitempty"`
	Keys      []string `json:"keys,omitempty"`
	Hex       []string `json:"hex,omitempty"`
	Literal   string   `json:"literal,omitempty"`
	Bracketed *bool    `json:"bracketed,omitempty"`
	EOF       bool     `json:"eof,omitempty"`
	Offset    *int     `json:"offset,omitempty"`
	Limit     *int     `json:"limit,omitempty"`
	Timeout   int      `json:"timeout,omitempty"` // milliseconds that poll waits for news

	// Speaks says for which agents and sessions the sender may speak; nil means all.
	Speaks *gavel.CallerFacts `json:"-"`
}

// Answer is the answer to one.
type Answer struct {
	Sessions []Shown `json:"sessions,omitzero"` // of list; then also if there are none
	*Shown
}

// CodeReaderChanged is the code of a refusal of input.
const CodeReaderChanged = "runner.reader_changed"

// logLines is how many lines the action log shows by default; mostWait is how
// long a poll may wait.
const (
	logLines = 200
	mostWait = 2 * time.Minute
)

// Process carries out one action for the agent of the call, which has the action's parameters as
// its own. Every action is judged first, and an input also needs an allow for what reads it.
func (s *Store) Process(ctx context.Context, call gavel.Call, a Action) (Answer, error) {
	if !slices.Contains(actions(), a.Action) {
		return Answer{}, &runner.Refusal{Message: fmt.Sprintf("process has no action %q", a.Action), Fix: "use one of " + strings.Join(actions(), ", ")}
	}
	s.tidy()
	var session *Session
	var err error
	if a.Action != "list" {
		if session, err = s.find(call.Agent.ID, a.Session, a.Speaks); err != nil {
			return Answer{}, err
		}
	}
	input, err := session.inputOf(a) // before anybody is asked about it
	if err != nil {
		return Answer{}, err
	}
	judged, err := s.permitted(ctx, &call, session)
	if err != nil {
		return Answer{}, err
	}
	now := s.cfg.Now()
	switch a.Action {
	case "list":
		answer := Answer{Sessions: []Shown{}}
		for _, session := range s.of(call.Agent.ID, a.Speaks) {
			answer.Sessions = append(answer.Sessions, session.state(now))
		}
		return answer, nil
	case "poll":
		session.await(ctx, time.Duration(a.Timeout)*time.Millisecond)
		shown := session.state(s.cfg.Now())
		fresh, lost := session.out.fresh()
		shown.Output, shown.Omitted = string(fresh), lost
		return Answer{Shown: &shown}, nil
	case "log":
		shown := session.state(now)
		kept, omitted := session.out.text()
		offset, limit := -1, logLines
		if a.Offset != nil {
			offset = max(0, *a.Offset)
		}
		if a.Limit != nil {
			limit = max(0, *a.Limit)
		}
		part, total := lines(kept, offset, limit)
		shown.Output, shown.Omitted, shown.Lines = string(part), omitted, total
		return Answer{Shown: &shown}, nil
	}
	if sends(a.Action) {
		// One after the other: what was judged for a reader is not sent behind another input, which
		// may have changed what reads, and where.
		session.typing.Lock()
		defer session.typing.Unlock()
		if session.describe(&call, s.cfg.Order.Host, s.cfg.Order.Node); *call.Environment.Process != *judged {
			return Answer{}, &runner.Refusal{Code: CodeReaderChanged, Message: "what reads the input is not what was judged any more", Fix: "look at the session, and send it again"}
		}
	}
	if err := s.act(session, a, input); err != nil {
		return Answer{}, err
	}
	shown := session.state(s.cfg.Now())
	return Answer{Shown: &shown}, nil
}

// inputOf returns what an action sends to the program of a session; "" for an action that sends nothing.
func (s *Session) inputOf(a Action) (string, error) {
	switch a.Action {
	case "write":
		return a.Data, nil
	case "submit":
		if !s.terminal {
			return "\n", nil // a pipe has no terminal that would make a line of it
		}
		return "\r", nil
	case "paste":
		return pasted(a.Text, a.Bracketed == nil || *a.Bracketed)
	case "send-keys":
		return typed(a.Keys, a.Hex, a.Literal)
	}
	return "", nil
}

// act carries out an action that changes something.
func (s *Store) act(session *Session, a Action, input string) error {
	switch a.Action {
	case "kill":
		session.stop()
		select {
		case <-session.done:
		case <-time.After(s.cfg.Patience + waitGrace):
		}
		return nil
	case "clear":
		if !session.ended() {
			return errors.New("the command is still running; kill it first, or use remove")
		}
		s.remove(session)
		return nil
	case "remove":
		s.remove(session)
		return nil
	}
	return session.send(input, a.EOF)
}

// actions are all of them.
func actions() []string {
	return []string{"list", "poll", "log", "write", "send-keys", "submit", "paste", "kill", "clear", "remove"}
}

// sends reports whether an action may send something to the program of a session.
func sends(action string) bool {
	return !slices.Contains([]string{"list", "poll", "log", "kill", "clear", "remove"}, action)
}

// permitted has the call judged, and waits for people who must agree. Only an allow permits. It
// returns what was stated of the session in the call that was allowed; nil without a session.
func (s *Store) permitted(ctx context.Context, call *gavel.Call, session *Session) (*gavel.Process, error) {
	describe := func() *gavel.Process {
		if session != nil {
			session.describe(call, s.cfg.Order.Host, s.cfg.Order.Node)
			return call.Environment.Process
		}
		return nil
	}
	judged := describe()
	decision, err := s.cfg.Authority.Decide(ctx, *call)
	if err == nil && decision.Effect == gavel.Ask && decision.Approval != nil {
		s.event(Event{Kind: EventPending, Agent: call.Agent.ID, Key: call.Session.Key, Message: "a person must agree: approval " + decision.Approval.ID})
		if _, err = s.cfg.Authority.Wait(ctx, decision); err == nil {
			judged = describe() // it may have taken long
			decision, err = s.cfg.Authority.Decide(ctx, *call)
		}
	}
	if err != nil {
		return nil, &runner.Refusal{Code: runner.CodeUndecided, Message: "there is no decision, so nothing is done: " + err.Error()}
	}
	if decision.Effect != gavel.Allow {
		return nil, &runner.Refusal{Message: (&client.Refused{Decision: decision}).Error(), Decision: &decision}
	}
	return judged, nil
}

// await waits for news, at most for a time.
func (s *Session) await(ctx context.Context, most time.Duration) {
	if most <= 0 {
		return
	}
	timer := time.NewTimer(min(most, mostWait))
	defer timer.Stop()
	select {
	case <-s.out.news():
	case <-s.done:
	case <-timer.C:
	case <-ctx.Done():
	}
}
