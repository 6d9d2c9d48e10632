//go:build linux

package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	out     output
	ctx     context.Context // of questions, which end with the session
	cancel  context.CancelFunc
	control *net.UnixConn
	process *exec.Cmd
	reading sync.WaitGroup // of output
	asked   chan struct{}  // closed when people are asked
	began   chan struct{}
	done    chan struct{}

	typing sync.Mutex // of what is sent, one after the other

	mu         sync.Mutex
	sent       sent
	input      *os.File // of the command: a pipe, or the terminal
	terminal   bool
	background bool
	partial    bool // something was typed that is no whole line
	pending    *gavel.Pending
	start      *runner.Began
	refused    *runner.Refusal
	end        *runner.Ended
	at         time.Time // of the end
	stopping   bool
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

// take does what one message of the supervisor asks for.
func (s *Session) take(ctx context.Context, m *runner.Message) {
	cfg := &s.store.cfg
	switch {
	case m.Decide != nil:
		decision, err := cfg.Authority.Decide(ctx, *m.Decide)
		s.say(runner.Message{Decided: &runner.Decided{Decision: decision, Error: text(err)}})
	case m.Wait != nil:
		answer, err := cfg.Authority.Wait(ctx, *m.Wait)
		s.say(runner.Message{Waited: &runner.Waited{Answer: answer, Error: text(err)}})
	case m.Record != nil:
		said := text(s.store.record(ctx, *m.Record))
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
		asked := s.pending != nil
		s.mu.Unlock()
		close(s.began)
		if notice := s.lifecycle().Notice(cfg.RunningNotice, RunningNotice); asked && notice > 0 {
			time.AfterFunc(notice, func() {
				if !s.ended() {
					s.tell(EventRunning, "the approved command is still running")
				}
			})
		}
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

// finish records the end.
func (s *Session) finish(err error) {
	s.mu.Lock()
	s.at = s.store.cfg.Now()
	killed := s.end == nil && s.refused == nil
	if killed {
		// The supervisor itself was ended. The kernel ends the command with it.
		if s.start == nil {
			s.refused = &runner.Refusal{Code: runner.CodeStart, Message: fmt.Sprintf("the supervisor of the command ended: %v", err)}
		} else {
			s.end = &runner.Ended{Code: 255, Stopped: true, Duration: s.at.Sub(s.since)}
		}
	}
	background, asked, end, refused, start := s.background, s.pending != nil, s.end, s.refused, s.start
	s.mu.Unlock()
	if killed {
		s.store.killStrays()
	}
	s.recordEnd(start, end)
	s.cancel()
	close(s.done)
	empty := s.out.empty() && end != nil && end.Code == 0
	switch {
	case !background:
	case refused != nil:
		s.tell(EventDenied, refused.Error())
	case asked || s.lifecycle().Tells(s.store.cfg.Quiet, empty):
		s.store.event(Event{Kind: EventFinished, Agent: s.Agent, Session: s.ID, Key: s.Key, ExitCode: &end.Code})
	}
}

// recordEnd records how the command ended, if it ran.
func (s *Session) recordEnd(start *runner.Began, end *runner.Ended) {
	if start == nil || end == nil {
		return
	}
	if err := s.store.record(context.WithoutCancel(s.ctx), end.Event(s.Agent, s.Key, start.Decision)); err != nil {
		s.tell(EventUnrecorded, "the end of the command could not be recorded: "+err.Error())
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

// stop asks the supervisor to end the command.
func (s *Session) stop() {
	s.mu.Lock()
	first := !s.stopping
	s.stopping = true
	s.mu.Unlock()
	if first {
		s.cancel()
		s.say(runner.Message{Stop: true})
	}
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
	if s.start == nil {
		return runner.Lifecycle{}
	}
	return runner.Lifecycle{Configured: s.start.Lifecycle}
}

func (s *Session) synchronous() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start != nil && s.start.Synchronous
}

func (s *Session) ended() bool { _, ended := s.endedAt(); return ended }

func (s *Session) endedAt() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, !s.at.IsZero()
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
