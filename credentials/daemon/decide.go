package daemon

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gavel"
	"gavel/credentials/wire"
	"gavel/credentials/wrappers"
)

// ToolName is the tool of the calls about credentials.
const ToolName = "credential"

// decide asks the policy. The error is for the client.
func (u *use) decide(ctx context.Context) error {
	call := u.call()
	u.decision = u.cfg.Decide(ctx, call)
	if u.decision.Effect == gavel.Allow {
		return nil
	}
	text, code := wrappers.TextBlocked, "the policy gave no reason"
	if len(u.decision.Reasons) > 0 {
		first := u.decision.Reasons[0]
		code = first.Code
		switch {
		case shown(code):
			text = first.Message
		default:
			text = fmt.Sprintf("%s (%s)", wrappers.TextBlocked, code)
		}
	}
	return &wire.RefusedError{Text: wire.TextBlocked + text, Framed: true, Why: errors.New(code)}
}

// Codes of refusals by people, the same as in the policy. The message is for the client.
const (
	CodeDenied = "approvals.denied"
	CodeNobody = "approvals.timeout"
)

// shown reports whether the message of a reason is for clients: the one that the configuration has
// for them, or what people answered. Other messages may say more than a client should know.
func shown(code string) bool {
	return slices.Contains([]string{"credentials.blocked", "credentials.not_listed", CodeDenied, CodeNobody}, code)
}

// call describes what a client asks for.
func (u *use) call() gavel.Call {
	c := u.who
	caller := c.exe
	if caller == "" {
		caller = "unverified"
	}
	uid := int(c.uid)
	return gavel.Call{
		Agent: gavel.Agent{ID: u.cfg.Agent},
		Tool: gavel.Tool{Name: ToolName, Params: map[string]any{
			"tool":        u.tool.Name,
			"binary":      u.tool.Binary,
			"args":        anys(u.request.Arguments()),
			"cwd":         u.dir.path,
			"uid":         float64(uid),
			"caller":      caller,
			"env":         anys(u.passed),
			"dropped":     anys(u.dropped),
			"pty":         u.wantsPTY(),
			"credentials": anys(u.tool.Uses()),
			"allowlist":   u.tool.Allowlist,
			"blocked":     rules(u.tool.Blocked),
			"allowed":     rules(u.tool.Allowed),
		}},
		Environment: &gavel.Environment{Cwd: u.dir.path},
	}
}

// wantsPTY reports whether the tool runs in a terminal.
func (u *use) wantsPTY() bool { return u.request.UsePTY && u.tool.PTY }

// rules are rules as parameters of a call.
func rules(list []wrappers.Rule) []any {
	out := make([]any, len(list))
	for i, rule := range list {
		out[i] = map[string]any{"match": rule.Match, "pattern": rule.Pattern, "argv": anys(rule.Argv), "message": rule.Message}
	}
	return out
}

func anys(texts []string) []any {
	out := make([]any, len(texts))
	for i, text := range texts {
		out[i] = text
	}
	return out
}
