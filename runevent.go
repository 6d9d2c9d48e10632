package gavel

import (
	"fmt"
	"time"
)

// RunEvent is an enforcement point's report to the decision point about what happened to a command.
type RunEvent struct {
	Kind     string `json:"kind"` // AuditRunStarted, AuditRunRefused or AuditRunEnded
	Agent    string `json:"agent"`
	Session  string `json:"session,omitempty"` // the key of the call's
	Decision string `json:"decision"`          // its id
	// Code and Message are why the command was refused.
	Code    string `json:"code,omitempty"`
	Message string `json:"message,omitempty"`
	// Program and Directory are what was started, and where.
	Program   string `json:"program,omitempty"`
	Directory string `json:"directory,omitempty"`
	// The fields below say how it ended.
	ExitCode   *int   `json:"exitCode,omitempty"`
	Signal     string `json:"signal,omitempty"`
	TimedOut   bool   `json:"timedOut,omitempty"`
	DurationMs int64  `json:"durationMs,omitempty"`
}

// Check returns an error if an event from outside is invalid.
func (e *RunEvent) Check() error {
	wrong := func(path, format string, args ...any) error {
		return &InputError{Path: path, Message: fmt.Sprintf(format, args...)}
	}
	switch {
	case e.Agent == "":
		return wrong("/agent", "agent is missing")
	case e.Decision == "":
		return wrong("/decision", "decision is missing: the id of the decision that the command ran by")
	case e.DurationMs < 0:
		return wrong("/durationMs", "the duration is negative")
	}
	switch e.Kind {
	case AuditRunStarted:
	case AuditRunRefused:
		if e.Code == "" {
			return wrong("/code", "code is missing: why the command was refused")
		}
	case AuditRunEnded:
		if e.ExitCode == nil {
			return wrong("/exitCode", "exitCode is missing")
		}
	default:
		return wrong("/kind", "the kind %q is none of %s, %s and %s", e.Kind, AuditRunStarted, AuditRunRefused, AuditRunEnded)
	}
	return nil
}

// AuditEvent returns the event in the form in which it is recorded.
func (e *RunEvent) AuditEvent(at time.Time) AuditEvent {
	detail := map[string]any{}
	for name, text := range map[string]string{"session": e.Session, "decision": e.Decision, "code": e.Code, "message": e.Message, "program": e.Program, "directory": e.Directory, "signal": e.Signal} {
		if text != "" {
			detail[name] = text
		}
	}
	if e.ExitCode != nil {
		detail["exitCode"], detail["timedOut"], detail["durationMs"] = *e.ExitCode, e.TimedOut, e.DurationMs
	}
	return AuditEvent{Kind: e.Kind, Timestamp: at.UTC(), Agent: e.Agent, Detail: detail}
}
