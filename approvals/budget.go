package approvals

import (
	"context"
	"encoding/json"
	"fmt"

	"gavel"
)

const (
	// maxQuestion is the largest stored size of one question, in bytes.
	maxQuestion = 96 << 10
	// defaultMaxBytes is the default limit for the total size.
	defaultMaxBytes = 64 << 20
)

// Budget limits open questions. A field of 0 means no limit, except for Bytes.
type Budget struct {
	PerCaller  int   // questions of one credential
	PerAgent   int   // of one credential about one agent
	PerSession int   // of one credential about one session
	Bytes      int64 // of all questions; 64 MiB
}

// Usual is a server's budget: agents normally have far fewer questions open, and people can
// still review them.
func Usual() Budget { return Budget{PerCaller: 512, PerAgent: 256, PerSession: 100} }

// Load is the size of the open questions, and their number for one asker: in total, about one
// agent and about one session.
type Load struct {
	Bytes                        int64
	OfCaller, OfAgent, OfSession int
}

// shares are the keys for counting an open question: its asker, and the asker's questions
// about one agent and about one session.
func shares(a *gavel.Approval) [3]string {
	caller := ""
	if len(a.Requesters) > 0 {
		caller = a.Requesters[0]
	}
	agent := caller + "\x00" + a.Request.Agent
	return [3]string{"c" + caller, "a" + agent, "s" + agent + "\x00" + a.Request.Session}
}

// sizeOf is how many bytes a record takes.
func sizeOf(a *gavel.Approval) int64 {
	text, err := json.Marshal(a)
	if err != nil {
		return maxQuestion + 1
	}
	return int64(len(text))
}

// checkBudget returns an error for a question that exceeds the budget.
func (m *Manager) checkBudget(ctx context.Context, a *gavel.Approval) error {
	pending, err := m.cfg.Store.Pending(ctx)
	if err != nil {
		return err
	}
	load, err := m.cfg.Store.Load(ctx, a)
	if err != nil {
		return err
	}
	full := func(format string, args ...any) error {
		return &gavel.ApprovalError{Code: gavel.CodeApprovalsFull, Message: fmt.Sprintf(format, args...), Fix: "answer some, or wait until they expire"}
	}
	b, size := &m.cfg.Budget, sizeOf(a)
	switch {
	case pending >= m.cfg.MaxPending:
		return full("%d questions are already open", pending)
	case b.PerCaller > 0 && load.OfCaller >= b.PerCaller:
		return full("this credential already has %d open questions", load.OfCaller)
	case b.PerAgent > 0 && load.OfAgent >= b.PerAgent:
		return full("this agent already has %d open questions", load.OfAgent)
	case b.PerSession > 0 && a.Request.Session != "" && load.OfSession >= b.PerSession:
		return full("this session already has %d open questions", load.OfSession)
	case size > maxQuestion:
		return &gavel.ApprovalError{Code: gavel.CodeApprovalTooLarge, Message: fmt.Sprintf("the question is larger than %d bytes", maxQuestion),
			Fix: "ask about a smaller call"}
	case load.Bytes+size > b.Bytes:
		return full("open questions already take %d bytes", load.Bytes)
	}
	return nil
}
