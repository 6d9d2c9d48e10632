package approvalapi

import (
	"context"
	"strings"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/view"
	"gavel/internal/strictjson"
)

// requestParams are the parameters of exec.approval.request (APPROVALS-4). Those that say where an
// answer may be given are accepted and ignored, because operators answer here.
type requestParams struct {
	ID           *string           `json:"id"`
	Command      *string           `json:"command"`
	CommandArgv  []string          `json:"commandArgv"`
	Plan         *plan             `json:"systemRunPlan"`
	Env          map[string]string `json:"env"`
	Cwd          *string           `json:"cwd"`
	NodeID       *string           `json:"nodeId"`
	Host         *string           `json:"host"`
	Security     *string           `json:"security"`
	Ask          *string           `json:"ask"`
	AgentID      *string           `json:"agentId"`
	ResolvedPath *string           `json:"resolvedPath"`
	SessionKey   *string           `json:"sessionKey"`
	Channel      *string           `json:"turnSourceChannel"`
	To           *string           `json:"turnSourceTo"`
	AccountID    *string           `json:"turnSourceAccountId"`
	ThreadID     *string           `json:"turnSourceThreadId"`
	TimeoutMs    *int64            `json:"timeoutMs"`
	TwoPhase     *bool             `json:"twoPhase"`
	// Environment is what a gateway claims about the machine, as in a call.
	Environment *gavel.Environment `json:"environment"`
}

// plan is the command that a node is prepared to run.
type plan struct {
	Argv           []string `json:"argv"`
	Cwd            *string  `json:"cwd"`
	CommandText    *string  `json:"commandText"`
	CommandPreview *string  `json:"commandPreview"`
	AgentID        *string  `json:"agentId"`
	SessionKey     *string  `json:"sessionKey"`
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return strings.TrimSpace(*text)
}

func or(first, second *string) *string {
	if value(first) != "" {
		return first
	}
	return second
}

// call returns the call that a request describes. On a node, the plan has what runs.
func (p *requestParams) call(from gavel.Caller) (gavel.Call, error) {
	call := gavel.Call{Agent: gavel.Agent{ID: value(p.AgentID)}, Session: gavel.Session{Key: value(p.SessionKey)}, Environment: p.Environment}
	command, argv, cwd := value(p.Command), p.CommandArgv, value(p.Cwd)
	if value(p.Host) == "node" {
		switch {
		case value(p.NodeID) == "":
			return call, invalid("nodeId is required for host=node")
		case p.Plan == nil:
			return call, invalid("systemRunPlan is required for host=node")
		}
		command, argv, cwd = value(p.Plan.CommandText), p.Plan.Argv, value(p.Plan.Cwd)
		call.Agent.ID, call.Session.Key = value(or(p.Plan.AgentID, p.AgentID)), value(or(p.Plan.SessionKey, p.SessionKey))
	}
	if len(argv) > 0 {
		if command != "" && !commandMatches(command, argv) {
			return call, invalid("command does not match commandArgv: leave one of them out")
		}
		command = approvals.Words(argv) // argv is what runs; command only describes it
	}
	switch {
	case command == "":
		return call, invalid("command is required")
	case strings.HasPrefix(value(p.ID), "plugin:"):
		return call, invalid("approval ids starting with plugin: are reserved")
	case p.ID != nil && !validID(value(p.ID)):
		return call, invalid("an id has 8 to 64 letters, digits and dashes")
	case p.TimeoutMs != nil && *p.TimeoutMs < 1:
		return call, invalid("timeoutMs is at least 1")
	case p.Environment != nil && !from.MayClaim(gavel.ClaimEnvironment):
		return call, invalid("only the scope gateway may send environment")
	}
	call.Caller = speaker(from)
	if call.Agent.ID == "" {
		call.Agent.ID = "main"
	}
	call.Tool = gavel.Tool{Name: "exec", Params: map[string]any{"command": command}}
	for name, text := range map[string]string{"workdir": cwd, "host": value(p.Host), "node": value(p.NodeID), "security": value(p.Security), "ask": value(p.Ask)} {
		if text != "" {
			call.Tool.Params[name] = text
		}
	}
	if len(p.Env) > 0 {
		env := make(map[string]any, len(p.Env))
		for name, text := range p.Env {
			env[name] = text
		}
		call.Tool.Params["env"] = env
	}
	return call, call.Validate(true)
}

// speaker returns for which agents a caller's calls may be. A caller without the right to ask speaks
// for none. An operator may ask about commands of any agent, and cannot answer those questions.
func speaker(from gavel.Caller) *gavel.CallerFacts {
	switch {
	case from.Speaks != nil:
		return from.Speaks
	case from.May(gavel.RightAsk | gavel.RightApprove):
		return &gavel.CallerFacts{Kind: gavel.CallerGateway, Name: from.Credential, Agents: []string{"*"}}
	}
	return &gavel.CallerFacts{Name: from.Credential}
}

func validID(id string) bool {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-'
	}
	return len(id) >= 8 && len(id) <= 64 && !strings.ContainsFunc(id, func(r rune) bool { return !plain(r) })
}

func invalid(message string) error {
	return &gavel.InputError{Message: message, Fix: "see docs/approvals.md"}
}

// decisionView is the answer to exec.approval.request and waitDecision.
type decisionView struct {
	Status    string  `json:"status,omitempty"` // accepted in the first of two phases
	ID        string  `json:"id"`
	Decision  *string `json:"decision"` // null: nobody answered
	CreatedAt int64   `json:"createdAtMs"`
	ExpiresAt int64   `json:"expiresAtMs"`
	// Effect is the result: that of the answer, or of the fallback if there is none.
	Effect  string         `json:"effect,omitempty"`
	Reasons []gavel.Reason `json:"reasons,omitempty"`
	Comment string         `json:"comment,omitempty"` // of the people who answered
	Grant   *gavel.Grant   `json:"grant,omitempty"`
}

func decided(a gavel.Approval) decisionView {
	v := decisionView{ID: a.ID, CreatedAt: a.CreatedAt.UnixMilli(), ExpiresAt: a.ExpiresAt.UnixMilli()}
	if a.Answer != "" {
		text := string(a.Answer)
		v.Decision, v.Comment = &text, approvals.Comment(&a)
	}
	if outcome := view.Outcome(&a); outcome != nil {
		v.Effect, v.Reasons = outcome.Effect.String(), outcome.Reasons
	}
	if a.Expired == gavel.ExpiredPaused || a.Expired == gavel.ExpiredRevoked { // for null, a client may use a fallback of its own
		return withDenial(v, v.Reasons...)
	}
	return v
}

// rpcRequest asks people about a command. The policy judges it first. A denied command is not asked
// about. An allowed one is, because the client wants to ask. A call that needs a verifier's agreement
// is denied, because the client runs the command without asking again. With twoPhase, the first
// answer comes at once, and the decision as a second response, or from waitDecision.
func (a *API) rpcRequest(ctx context.Context, c rpcCall) (any, error) {
	var p requestParams
	if err := strictjson.UnmarshalCall(orEmpty(c.Params), &p); err != nil {
		return nil, err
	}
	call, err := p.call(c.from)
	if err != nil {
		return nil, err
	}
	options := optionsFor(c.from)
	options.ApprovalID = value(p.ID)
	if p.TimeoutMs != nil {
		options.ApprovalTimeout = time.Duration(min(*p.TimeoutMs, 86_400_000)) * time.Millisecond
	}
	d := a.cfg.PDP.Decide(ctx, call, options)
	if d.Effect == gavel.Allow && d.Approval == nil {
		call.Tool.Params["ask"] = "always"
		d = a.cfg.PDP.Decide(ctx, call, options)
	}
	switch {
	case d.Effect == gavel.Allow && d.Approval != nil: // a person had answered before
		once := string(gavel.AllowOnce)
		return decisionView{ID: d.Approval.ID, Decision: &once, ExpiresAt: d.Approval.ExpiresAt.UnixMilli(), Effect: "allow", Comment: d.Approval.Comment, Grant: d.Approval.Grant}, nil
	case d.Effect != gavel.Ask || d.Approval == nil:
		return nil, denied(d)
	}
	opened, err := a.cfg.People.Snapshot(ctx, d.Approval.ID)
	if err != nil {
		return nil, err
	}
	a.outcomes.join(&opened, a.cfg.PDP.Now())
	later := &pendingRequest{approval: opened.ID}
	if p.TwoPhase != nil && *p.TwoPhase {
		first := accepted(opened)
		later.accepted = &first
	}
	return later, nil
}

func accepted(a gavel.Approval) decisionView {
	v := decided(a)
	v.Status = "accepted"
	return v
}

func (a *API) waitFor(ctx context.Context, id string, from gavel.Caller) (any, error) {
	waited, err := a.wait(ctx, id, 0)
	if err != nil {
		return nil, err
	}
	return a.finalDecision(ctx, &waited, from), nil
}

// denied returns the error for a call that is denied, so that nobody is asked.
func denied(d gavel.Decision) error {
	e := &rpcError{Code: rpcRefused, Message: "the call is denied", Data: &rpcData{Code: "denied", Reason: "DENIED"}}
	for _, reason := range d.Reasons {
		e.Message, e.Data.Code, e.Data.Fix = "the call is denied: "+reason.Message, reason.Code, reason.Fix
		e.Data.Reason = strings.ToUpper(strings.ReplaceAll(reason.Code, ".", "_"))
		e.Data.Details = append(e.Data.Details, reason.Code+": "+reason.Message)
	}
	return e
}
