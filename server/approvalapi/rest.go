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

// getApproval answers GET /v1/approvals/{id}, for operators and for the asker.
func (a *API) getApproval(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	found, err := a.find(r.Context(), access.Part(r, "id"), from)
	if err != nil {
		return err
	}
	return respond(w, view.Show(found))
}

// find returns an approval that the caller may see, or CodeApprovalNotFound. Only operators may
// shorten the id, because a prefix would reveal other people's approvals.
func (a *API) find(ctx context.Context, id string, from gavel.Caller) (gavel.Approval, error) {
	if from.May(gavel.RightApprove) {
		return a.cfg.People.Find(ctx, id)
	}
	return a.findExact(ctx, id, from)
}

// findExact returns the approval with exactly this id, if the caller may see it. For others it does
// not exist.
func (a *API) findExact(ctx context.Context, id string, from gavel.Caller) (gavel.Approval, error) {
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

// resolve records an answer. If the answer counts but its patterns could not be added, the result
// has a warning.
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

// getWait answers GET /v1/approvals/{id}/wait when the approval is no longer pending, or after
// ?timeoutMs with its current state.
func (a *API) getWait(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	limit, err := parseTimeout(r)
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

// wait waits until an approval is no longer pending, or for at most limit; 0 means no limit.
func (a *API) wait(ctx context.Context, id string, limit time.Duration) (gavel.Approval, error) {
	ctx, cancel := a.untilStopped(ctx)
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
		return waited, a.stoppingError(err)
	}
	return waited, nil
}

func parseTimeout(r *http.Request) (time.Duration, error) {
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
	// Pending is the question to others, if they must agree to an edit first.
	Pending *pendingView `json:"pending,omitempty"`
}

// agentInPath returns the agent in the path, in its canonical spelling.
func agentInPath(r *http.Request) string {
	return gavel.Fold(access.Part(r, "agent"))
}

// getAllowlist answers GET /v1/allowlists/{agent}; * means all agents.
func (a *API) getAllowlist(w http.ResponseWriter, r *http.Request, _ gavel.Caller) error {
	snapshot, err := a.cfg.File.Get()
	if err != nil {
		return err
	}
	return respond(w, agentView(agentInPath(r), snapshot))
}

func agentView(agent string, s allowlist.Snapshot) allowlistView {
	return allowlistView{Name: agent, Hash: s.Hash, Agent: s.File.Agents[agent]}
}

// putAllowlist answers PUT /v1/allowlists/{agent}: it replaces one agent's section of the file, if
// the file's hash is still baseHash. If others must agree first, the answer is 202 with the question
// to them, and the list is unchanged.
func (a *API) putAllowlist(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	var body struct {
		BaseHash string `json:"baseHash"`
		allowlist.Agent
	}
	if err := read(w, r, &body); err != nil {
		return err
	}
	agent := agentInPath(r)
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
	pending, err := a.editList(r.Context(), edit{base: base, next: next, from: from, apply: func(ctx context.Context) (err error) {
		edited, err = a.cfg.File.SetAgent(ctx, agent, body.Agent, body.BaseHash)
		return err
	}})
	if err != nil {
		return err
	}
	shown := agentView(agent, edited)
	if shown.Pending = viewPending(pending); pending != nil {
		return respondAccepted(w, shown)
	}
	return respond(w, shown)
}
