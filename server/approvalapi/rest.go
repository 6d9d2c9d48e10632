package approvalapi

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strconv"
	"time"

	"gavel"
	"gavel/approvals"
	"gavel/approvals/allowlist"
	"gavel/approvals/view"
	"gavel/server/access"
)

// getApproval answers GET /v1/approvals/{id}, for operators and for who asked.
func (a *API) getApproval(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	found, err := a.find(r.Context(), access.Part(r, "id"), from)
	if err != nil {
		return err
	}
	return respond(w, view.Show(found))
}

// find looks an approval up for somebody who may know of it. Operators may shorten
// the id; others may not, since a prefix would tell of other people's approvals.
func (a *API) find(ctx context.Context, id string, from gavel.Caller) (gavel.Approval, error) {
	if from.May(gavel.RightApprove) {
		return a.cfg.People.Find(ctx, id)
	}
	return a.exactly(ctx, id, from)
}

// exactly looks the approval with this id up for somebody who may know of it. Others
// are told that there is none.
func (a *API) exactly(ctx context.Context, id string, from gavel.Caller) (gavel.Approval, error) {
	found, err := a.cfg.People.Snapshot(ctx, id)
	if err == nil && !from.May(gavel.RightApprove) && !approvals.AskedBy(&found, from) {
		return gavel.Approval{}, approvals.NotFound()
	}
	return found, err
}

// postResolve answers POST /v1/approvals/{id}/resolve.
func (a *API) postResolve(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	var body struct {
		Decision string `json:"decision"`
		Comment  string `json:"comment"`
	}
	if err := read(w, r, &body); err != nil {
		return err
	}
	shown, err := a.resolve(r.Context(), approvals.Resolution{ID: access.Part(r, "id"), Answer: body.Decision, Comment: body.Comment, By: from.Credential, Person: from.Person, Issue: from.Issue, From: from.From})
	if err != nil {
		return err
	}
	return respond(w, shown)
}

// resolve records an answer. One that counts although its patterns could not be
// added comes with a warning.
func (a *API) resolve(ctx context.Context, answer approvals.Resolution) (view.Approval, error) {
	resolved, err := a.cfg.People.Resolve(ctx, answer)
	if err != nil && resolved.ID == "" {
		return view.Approval{}, err
	}
	shown := view.Show(resolved)
	if err != nil {
		shown.Warning = err.Error()
	}
	return shown, nil
}

// getWait answers GET /v1/approvals/{id}/wait once the approval is no longer
// pending, or after ?timeoutMs as it then is.
func (a *API) getWait(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	limit, err := timeoutOf(r)
	if err != nil {
		return err
	}
	found, err := a.find(r.Context(), access.Part(r, "id"), from)
	if err != nil {
		return err
	}
	waited, err := a.wait(r.Context(), found.ID, limit)
	if err != nil {
		return err
	}
	return respond(w, view.Show(waited))
}

// wait waits for the end of an approval, for a limit at most; 0 is none.
func (a *API) wait(ctx context.Context, id string, limit time.Duration) (gavel.Approval, error) {
	ctx, cancel := a.until(ctx)
	defer cancel()
	if limit > 0 {
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	waited, err := a.cfg.People.Wait(ctx, id)
	if errors.Is(err, context.DeadlineExceeded) {
		return waited, nil // still pending
	}
	if err != nil {
		return waited, a.stopping(err)
	}
	return waited, nil
}

func timeoutOf(r *http.Request) (time.Duration, error) {
	text := r.URL.Query().Get("timeoutMs")
	if text == "" {
		return 0, nil
	}
	ms, err := strconv.Atoi(text)
	if err != nil || ms < 1 || ms > 86_400_000 {
		return 0, &gavel.InputError{Path: "timeoutMs", Message: "the time is not a number of milliseconds", Fix: "give 1 to 86400000, or leave it out"}
	}
	return time.Duration(ms) * time.Millisecond, nil
}

// allowlistView is one agent's part of the allowlist file.
type allowlistView struct {
	Name string `json:"agent"`
	Hash string `json:"hash"` // of the whole file, for baseHash
	allowlist.Agent
	// Pending is the question to others, where they must agree to an edit first.
	Pending *pendingView `json:"pending,omitempty"`
}

// agentOf is the agent of the path, as the file has it.
func agentOf(r *http.Request) string {
	return gavel.Fold(access.Part(r, "agent"))
}

// getAllowlist answers GET /v1/allowlists/{agent}; * stands for everybody.
func (a *API) getAllowlist(w http.ResponseWriter, r *http.Request, _ gavel.Caller) error {
	snapshot, err := a.cfg.File.Get()
	if err != nil {
		return err
	}
	return respond(w, viewOf(agentOf(r), snapshot))
}

func viewOf(agent string, s allowlist.Snapshot) allowlistView {
	return allowlistView{Name: agent, Hash: s.Hash, Agent: s.File.Agents[agent]}
}

// putAllowlist answers PUT /v1/allowlists/{agent}: it replaces what the file says
// about one agent, if the file's hash is still baseHash. Where others must agree first it
// answers 202 with the question to them, and the list is as it was.
func (a *API) putAllowlist(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	var body struct {
		BaseHash string `json:"baseHash"`
		allowlist.Agent
	}
	if err := read(w, r, &body); err != nil {
		return err
	}
	agent := agentOf(r)
	base, err := a.cfg.File.Get()
	if err != nil {
		return err
	}
	next := &allowlist.Document{Version: base.File.Version, Defaults: base.File.Defaults, Agents: maps.Clone(base.File.Agents)}
	if next.Agents == nil {
		next.Agents = map[string]allowlist.Agent{}
	}
	next.Agents[agent] = body.Agent
	if err := base.CheckBase(body.BaseHash); err != nil {
		return err
	}
	if err := a.cfg.File.Valid(next); err != nil {
		return err
	}
	edited := base
	pending, err := a.edit(r.Context(), editing{base: base, next: next, from: from, apply: func(ctx context.Context) (err error) {
		edited, err = a.cfg.File.SetAgent(ctx, agent, body.Agent, body.BaseHash)
		return err
	}})
	if err != nil {
		return err
	}
	shown := viewOf(agent, edited)
	if shown.Pending = shownPending(pending); pending != nil {
		return accept(w, shown)
	}
	return respond(w, shown)
}
