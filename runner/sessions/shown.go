//go:build linux

package sessions

import (
	"slices"
	"syscall"
	"time"
)

// The states of a session.
const (
	StatusPending   = "approval-pending"
	StatusRunning   = "running"
	StatusCompleted = "completed"
	StatusDenied    = "denied"
)

// Shown is a session as it is shown to its agent.
type Shown struct {
	Status     string    `json:"status"`
	Session    string    `json:"sessionId"`
	Command    string    `json:"command,omitempty"`
	Cwd        string    `json:"cwd,omitempty"`
	Since      time.Time `json:"startedAt,omitzero"`
	Pid        int       `json:"pid,omitempty"`
	Decision   string    `json:"decision,omitempty"`
	DurationMs int64     `json:"durationMs"`
	ExitCode   *int      `json:"exitCode,omitempty"`
	Signal     string    `json:"signal,omitempty"`
	TimedOut   bool      `json:"timedOut,omitempty"`
	Killed     bool      `json:"killed,omitempty"`
	Approval   *Approval `json:"approval,omitempty"`
	Reason     *Reason   `json:"reason,omitempty"` // of a refusal
	// Notes say what could not be proved or limited.
	Notes []string `json:"notes,omitempty"`
	// Output is what is kept of the output, or what is fresh of it; Omitted bytes are missing.
	Output  string `json:"output"`
	Omitted int64  `json:"omittedBytes,omitempty"`
	// Lines is how many lines are kept, for the action log.
	Lines int `json:"lines,omitempty"`
}

// Approval is a question that people were asked.
type Approval struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Reason says why a command did not run.
type Reason struct {
	Code    string `json:"code,omitempty"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`
}

// shown is the session with its output.
func (s *Session) shown(now time.Time) Shown {
	shown := s.state(now)
	kept, omitted := s.out.text()
	shown.Output, shown.Omitted = string(kept), omitted
	if shown.Status == StatusRunning {
		s.out.fresh() // it has been shown
	}
	return shown
}

// state is the session without its output.
func (s *Session) state(now time.Time) Shown {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := Shown{Status: StatusRunning, Session: s.ID, Command: s.Command, Since: s.since.UTC(), DurationMs: now.Sub(s.since).Milliseconds()}
	if s.pending != nil {
		shown.Approval = &Approval{s.pending.ID, s.pending.ExpiresAt}
		if !s.running {
			shown.Status = StatusPending
		}
	}
	if s.running {
		shown.Decision = s.decided.ID
	}
	shown.Notes = s.notes
	if s.start != nil {
		shown.Cwd, shown.Pid, shown.Notes = s.start.Directory, s.start.Pid, slices.Concat(s.notes, s.start.Notes)
	}
	if s.at.IsZero() {
		return shown
	}
	shown.Pid = 0
	if s.refused != nil {
		shown.Status, shown.Reason = StatusDenied, &Reason{s.refused.Code, s.refused.Message, s.refused.Fix}
		return shown
	}
	shown.Status, shown.ExitCode, shown.TimedOut, shown.Killed, shown.DurationMs = StatusCompleted, &s.end.Code, s.end.TimedOut, s.end.Stopped, s.end.Duration.Milliseconds()
	if s.end.Signal != 0 {
		shown.Signal = syscall.Signal(s.end.Signal).String()
	}
	return shown
}
