//go:build linux

package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

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
}

// Answer is the answer to one.
type Answer struct {
	Sessions []Shown `json:"sessions,omitempty"` // of list
	*Shown
}

// CodeReaderChanged is the code of a refusal of input.
const CodeReaderChanged = "runner.reader_changed"

// logLines is how many lines the action log shows if nobody says otherwise; mostWait is how
// long a poll may wait.
const (
	logLines = 200
	mostWait = 2 * time.Minute
)

// Process carries out one action for the agent of the call, which has the action's parameters as
// its own. Every action is judged first, and an input also needs an allow for what reads it.
func (s *Store) Process(ctx context.Context, call gavel.Call, a Action) (Answer, error) {
	s.tidy()
	var session *Session
	if a.Action != "list" {
		var err error
		if session, err = s.find(call.Agent.ID, a.Session); err != nil {
			return Answer{}, err
		}
	}
	if err := s.permitted(ctx, call, session, sends(a.Action)); err != nil {
		return Answer{}, err
	}
	now := s.cfg.Now()
	switch a.Action {
	case "list":
		answer := Answer{Sessions: []Shown{}}
		for _, session := range s.of(call.Agent.ID) {
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
	if err := s.act(session, a); err != nil {
		return Answer{}, err
	}
	shown := session.state(s.cfg.Now())
	return Answer{Shown: &shown}, nil
}

// act carries out an action that changes something.
func (s *Store) act(session *Session, a Action) error {
	input, err := "", error(nil)
	switch a.Action {
	case "write":
		input = a.Data
	case "submit":
		input = "\r"
	case "paste":
		input, err = pasted(a.Text, a.Bracketed == nil || *a.Bracketed)
	case "send-keys":
		input, err = typed(a.Keys, a.Hex, a.Literal)
	case "kill":
		session.stop()
		select {
		case <-session.done:
		case <-time.After(waitGrace):
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
	default:
		return fmt.Errorf("process has no action %q", a.Action)
	}
	if err != nil {
		return err
	}
	if !session.terminal && a.Action == "submit" {
		input = "\n" // a pipe has no terminal that would make a line of it
	}
	return session.send(input, a.EOF)
}

// sends reports whether an action may send something to the program of a session.
func sends(action string) bool {
	return !slices.Contains([]string{"list", "poll", "log", "kill", "clear", "remove"}, action)
}

// permitted has the call judged, and waits for people who must agree. Only an allow permits, and
// an action that sends something only as long as what reads it is what was judged.
func (s *Store) permitted(ctx context.Context, call gavel.Call, session *Session, sends bool) error {
	describe := func() *gavel.Process {
		if session != nil {
			session.describe(&call, s.cfg.Order.Host, s.cfg.Order.Node)
			return call.Environment.Process
		}
		return nil
	}
	judged := describe()
	decision, err := s.cfg.Authority.Decide(ctx, call)
	if err == nil && decision.Effect == gavel.Ask && decision.Approval != nil {
		s.event(Event{Kind: EventPending, Agent: call.Agent.ID, Key: call.Session.Key, Message: "a person must agree: approval " + decision.Approval.ID})
		if _, err = s.cfg.Authority.Wait(ctx, decision); err == nil {
			judged = describe() // it may have taken long
			decision, err = s.cfg.Authority.Decide(ctx, call)
		}
	}
	if err != nil {
		return &runner.Refusal{Code: runner.CodeUndecided, Message: "there is no decision, so nothing is done: " + err.Error()}
	}
	if decision.Effect != gavel.Allow {
		return &runner.Refusal{Message: (&client.Refused{Decision: decision}).Error(), Decision: &decision}
	}
	if now := describe(); sends && now != nil && *now != *judged {
		return &runner.Refusal{Code: CodeReaderChanged, Message: "what reads the input is not what was judged any more", Fix: "look at the session, and send it again"}
	}
	return nil
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

// describe states in a call which session it is about, and what reads its input.
func (s *Session) describe(call *gavel.Call, host, node string) {
	environment := gavel.Environment{}
	if call.Environment != nil {
		environment = *call.Environment
	}
	environment.Process = &gavel.Process{Session: s.ID, Agent: s.Agent, Host: host, Node: node}
	if pid := s.reader(); pid > 0 {
		dir := "/proc/" + strconv.Itoa(pid)
		program, err := os.Readlink(dir + "/exe")
		cwd, wrong := os.Readlink(dir + "/cwd")
		if err == nil && wrong == nil && !strings.HasSuffix(program, " (deleted)") {
			environment.Process.Program, environment.Process.Cwd = program, cwd
			environment.Process.Waiting = s.waits(pid)
		}
	}
	call.Environment = &environment
}

// reader is the process that reads the input: the foreground of the terminal, or the command
// itself. 0 is unknown: several processes could read a pipe.
func (s *Session) reader() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.start == nil || s.input == nil || !s.at.IsZero():
		return 0
	case !s.terminal:
		if alone(s.start.Pid) {
			return s.start.Pid
		}
		return 0
	}
	raw, err := s.input.SyscallConn()
	if err != nil {
		return 0
	}
	group := 0
	if raw.Control(func(fd uintptr) { group, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) }) != nil || err != nil || !alone(group) {
		return 0
	}
	return group
}

// alone reports whether a process has no children, which could read its input, too.
func alone(pid int) bool {
	tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return false
	}
	return !slices.ContainsFunc(tasks, func(task os.DirEntry) bool {
		children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, task.Name()))
		return err != nil || len(strings.TrimSpace(string(children))) > 0
	})
}

// waits reports whether a process waits for a new line of a terminal: it is in a call that reads
// or waits for descriptor 0, and what was typed ended with a line.
func (s *Session) waits(pid int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.terminal || s.partial {
		return false
	}
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", pid))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return false
	}
	number, err := strconv.Atoi(fields[0])
	return err == nil && (number == unix.SYS_READ && fields[1] == "0x0" || number == unix.SYS_PSELECT6 && fields[1] == "0x1")
}
