//go:build linux

package sessions

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"gavel/runner"
)

// stop asks the supervisor to end the command.
func (s *Session) stop() {
	s.mu.Lock()
	first := !s.stopping
	s.stopping = true
	s.mu.Unlock()
	if first {
		s.cancel()
		s.say(runner.Message{Stop: true})
		s.endAfter(0, false)
	}
}

// endAfter sees to it that the supervisor has ended some time after it must begin to end its command.
// The command could have stopped it: it goes on, and is killed if that does not help.
func (s *Session) endAfter(begin time.Duration, overdue bool) {
	s.store.all.Go(func() {
		wait := time.NewTimer(begin)
		defer wait.Stop()
		for _, signal := range []syscall.Signal{syscall.SIGCONT, syscall.SIGKILL} {
			select {
			case <-s.done:
				return
			case <-wait.C:
			}
			if signal == syscall.SIGKILL && overdue {
				s.mu.Lock()
				s.overdue = true
				s.mu.Unlock()
			}
			_ = s.process.Process.Signal(signal) // it may be gone
			wait.Reset(s.store.cfg.Patience)
		}
	})
}

// finish records the end, and then shows it.
func (s *Session) finish(err error) {
	at := s.store.cfg.Now()
	s.mu.Lock()
	switch {
	case s.end != nil || s.refused != nil:
	case !s.running:
		s.refused = &runner.Refusal{Code: runner.CodeStart, Message: fmt.Sprintf("the supervisor of the command ended: %v", err)}
	case s.overdue:
		s.end = &runner.Ended{Code: runner.ExitTimeout, Signal: int(syscall.SIGKILL), TimedOut: true, Duration: at.Sub(s.since)}
	default:
		s.end = &runner.Ended{Code: 255, Stopped: true, Duration: at.Sub(s.since)}
	}
	background, asked, end, refused := s.background, s.pending != nil, s.end, s.refused
	s.mu.Unlock()
	s.recordEnd(end) // before anybody learns of it
	s.mu.Lock()
	s.at = at
	s.mu.Unlock()
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

// silent reports whether the supervisor was ended before it said how its command ended.
func (s *Session) silent() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.end == nil && s.refused == nil
}

// recordEnd records how the command ended, if it ran.
func (s *Session) recordEnd(end *runner.Ended) {
	if end == nil {
		return
	}
	if err := s.store.record(context.WithoutCancel(s.ctx), end.Event(s.Agent, s.Key, s.decided.ID)); err != nil {
		s.tell(EventUnrecorded, "the end of the command could not be recorded: "+err.Error())
	}
}

func (s *Session) ended() bool { _, ended := s.endedAt(); return ended }

func (s *Session) endedAt() (time.Time, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.at, !s.at.IsZero()
}
