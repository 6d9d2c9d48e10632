//go:build linux

package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"sync"
	"time"

	"gavel"
	"gavel/runner"
)

// Session is one command of one agent.
type Session struct {
	ID, Agent, Key, Command string

	store   *Store
	since   time.Time
	timeout time.Duration // that was stated; 0 is what the policy says
	out     output
	ctx     context.Context // of questions, which end with the session
	cancel  context.CancelFunc
	control *net.UnixConn
	process *exec.Cmd
	reading sync.WaitGroup // of output
	asked   chan struct{}  // closed when people are asked
	started chan struct{}  // closed when its start is recorded: from then on it may run
	began   chan struct{}  // closed when the supervisor has reported the process
	done    chan struct{}

	notes []string // what could not be done when it was launched

	typing sync.Mutex // of what is sent, one after the other

	mu         sync.Mutex
	sent       sent
	input      *os.File // of the command: a pipe, or the terminal
	terminal   bool
	background bool
	partial    bool // something was typed that is not a whole line
	pending    *gavel.Pending
	decided    gavel.Decision // by which it runs
	running    bool           // started is closed
	start      *runner.Began
	refused    *runner.Refusal
	end        *runner.Ended
	at         time.Time // of the end
	stopping   bool
	overdue    bool // its time is over, and it was not ended
}

// serve answers the supervisor until it ends.
func (s *Session) serve() {
	in := json.NewDecoder(s.control)
	for {
		var message runner.Message
		if err := in.Decode(&message); err != nil {
			break
		}
		s.take(s.ctx, &message)
	}
	_ = s.control.Close()
	killer := time.AfterFunc(waitGrace, func() { _ = s.process.Process.Kill() })
	err := s.process.Wait()
	killer.Stop()
	s.store.forget(s.process.Process.Pid)
	if s.silent() { // the kernel ends the command with its supervisor, and leaves what it has started
		s.store.killStrays()
	}
	s.drain()
	s.closeInput()
	s.finish(err)
}

// drain waits until everything that the command has written is read. Nothing writes any more;
// only something that escaped the supervisor could keep it waiting.
func (s *Session) drain() {
	read := make(chan struct{})
	go func() { s.reading.Wait(); close(read) }()
	select {
	case <-read:
	case <-time.After(drainGrace):
	}
}

const drainGrace = 2 * time.Second

// starts is called when the supervisor is about to start the command. What the command may do to its
// supervisor, it could do before the supervisor tells of it.
func (s *Session) starts() {
	s.mu.Lock()
	again, asked := s.running, s.pending != nil
	s.running = true
	s.mu.Unlock()
	if again {
		return
	}
	lifecycle, cfg := s.lifecycle(), &s.store.cfg
	if limit := lifecycle.Limit(s.timeout); limit < math.MaxInt64-cfg.Patience {
		s.endAfter(limit, true)
	}
	if notice := lifecycle.Notice(cfg.RunningNotice, RunningNotice); asked && notice > 0 {
		time.AfterFunc(notice, func() {
			if !s.ended() {
				s.tell(EventRunning, "the approved command is still running")
			}
		})
	}
	close(s.started)
}

// take does what one message of the supervisor asks for.
func (s *Session) take(ctx context.Context, m *runner.Message) {
	cfg := &s.store.cfg
	switch {
	case m.Decide != nil:
		decision, err := cfg.Authority.Decide(ctx, *m.Decide)
		s.mu.Lock()
		s.decided = decision
		s.mu.Unlock()
		s.say(runner.Message{Decided: &runner.Decided{Decision: decision, Error: text(err)}})
	case m.Wait != nil:
		answer, err := cfg.Authority.Wait(ctx, *m.Wait)
		s.say(runner.Message{Waited: &runner.Waited{Answer: answer, Error: text(err)}})
	case m.Record != nil:
		said := text(s.store.record(ctx, *m.Record))
		if said == "" && m.Record.Kind == gavel.AuditRunStarted {
			s.starts()
		}
		s.say(runner.Message{Recorded: &said})
	case m.Pending != nil:
		s.mu.Lock()
		s.pending, s.background = m.Pending, true
		s.mu.Unlock()
		s.tell(EventPending, "a person must agree: approval "+m.Pending.ID)
		close(s.asked)
	case m.Began != nil:
		s.mu.Lock()
		s.start = m.Began
		s.mu.Unlock()
		close(s.began)
	case m.Refused != nil:
		s.mu.Lock()
		s.refused = m.Refused
		s.mu.Unlock()
	case m.Ended != nil:
		s.mu.Lock()
		s.end = m.Ended
		s.mu.Unlock()
	}
}

func (s *Session) tell(kind, message string) {
	s.store.event(Event{Kind: kind, Agent: s.Agent, Session: s.ID, Key: s.Key, Message: message})
}

func (s *Session) say(message runner.Message) {
	_ = json.NewEncoder(s.control).Encode(message) // a supervisor that is gone is noticed when reading
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func (s *Session) toBackground() {
	s.mu.Lock()
	s.background = true
	s.mu.Unlock()
}

// lifecycle is what the decision says of how the command runs.
func (s *Session) lifecycle() runner.Lifecycle {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.decided.Exec == nil {
		return runner.Lifecycle{}
	}
	return runner.Lifecycle{Configured: s.decided.Exec.Lifecycle}
}

func (s *Session) synchronous() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.decided.Exec != nil && s.decided.Exec.Synchronous
}

func (s *Session) closeInput() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.input != nil {
		_ = s.input.Close()
		s.input = nil
	}
}

// typed notes whether what was typed ends with a line.
func (s *Session) typed(whole bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.partial = !whole
}

// note remembers who reads what is typed now.
func (s *Session) note(reader int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = sent{reader, sleeps(reader)}
}

// send writes to the command.
func (s *Session) send(data string, eof bool) error {
	s.mu.Lock()
	input := s.input
	s.mu.Unlock()
	if input == nil || s.ended() {
		return errors.New("the command takes no more input")
	}
	if data != "" {
		_ = input.SetWriteDeadline(time.Now().Add(10 * time.Second))
		if s.terminal {
			s.note(s.reader())
		}
		s.typed(false) // until all of it is
		if _, err := input.WriteString(data); err != nil {
			return fmt.Errorf("write to the command: %w", err)
		}
		last := data[len(data)-1]
		s.typed(last == '\n' || last == '\r')
	}
	switch {
	case eof && s.terminal:
		_, err := input.WriteString("\x04")
		return err
	case eof:
		s.closeInput()
	}
	return nil
}
