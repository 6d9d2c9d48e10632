package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"gavel"
	"gavel/internal/strictjson"
	"gavel/server/access"
)

// maxPause is the longest pause that has an end.
const maxPause = 366 * 24 * time.Hour

// agentsAnswer is the answer to GET /v1/agents.
type agentsAnswer struct {
	Paused []gavel.Pause `json:"paused"`
}

// pauseBody is the body of POST /v1/agents/{id}/pause.
type pauseBody struct {
	Why        string `json:"why"`
	ForSeconds int64  `json:"forSeconds,omitempty"` // 0: until the agent is resumed
}

// getAgents answers GET /v1/agents: the agents that are paused.
func (s *Server) getAgents(w http.ResponseWriter, r *http.Request, _ caller) error {
	if err := noQuery(r.URL); err != nil {
		return err
	}
	list, err := s.paused()
	if err != nil {
		return err
	}
	s.respond(w, r, http.StatusOK, agentsAnswer{list})
	return nil
}

// postPause answers POST /v1/agents/{id}/pause. The agent is paused even if the log cannot record
// it; the answer is then an error that says so.
func (s *Server) postPause(w http.ResponseWriter, r *http.Request, from caller) error {
	var wanted pauseBody
	if err := strictjson.Unmarshal(body(r), &wanted); err != nil {
		return err
	}
	if wanted.ForSeconds < 0 || wanted.ForSeconds > int64(maxPause/time.Second) {
		return &gavel.InputError{Path: "/forSeconds", Message: "the time is negative, or longer than a year", Fix: "leave it out for a pause of unlimited time"}
	}
	if s.cfg.Pauses == nil {
		return errNoPauses()
	}
	now := s.cfg.Now().UTC().Truncate(time.Second)
	pause := gavel.Pause{Agent: agentInPath(r), Since: now, Why: wanted.Why, By: from.credential()}
	if wanted.ForSeconds > 0 {
		pause.Until = now.Add(time.Duration(wanted.ForSeconds) * time.Second)
	}
	if err := s.cfg.Pauses.Pause(r.Context(), pause); err != nil {
		return pauseError(err)
	}
	detail := map[string]any{"why": pause.Why}
	if !pause.Until.IsZero() {
		detail["until"] = pause.Until.Format(time.RFC3339)
	}
	if err := s.audit(r.Context(), from, gavel.AuditAgentPaused, pause.Agent, detail); err != nil {
		return fmt.Errorf("the agent is paused, but the log does not record it: %w", err)
	}
	s.respond(w, r, http.StatusOK, pause)
	return nil
}

// postResume answers POST /v1/agents/{id}/resume. It records the event before it resumes the agent.
func (s *Server) postResume(w http.ResponseWriter, r *http.Request, from caller) error {
	if s.cfg.Pauses == nil {
		return errNoPauses()
	}
	agent := agentInPath(r)
	if err := s.audit(r.Context(), from, gavel.AuditAgentResumed, agent, nil); err != nil {
		return err
	}
	was, err := s.cfg.Pauses.Resume(r.Context(), agent)
	switch {
	case err != nil:
		return pauseError(err)
	case !was:
		return &apiError{Code: codeNotFound, Message: fmt.Sprintf("agent %q is not paused", agent), Fix: "see gavel agents list"}
	}
	s.respond(w, r, http.StatusOK, map[string]string{"agent": agent, "state": "resumed"})
	return nil
}

func agentInPath(r *http.Request) string {
	return gavel.Fold(access.Part(r, "id"))
}

// paused returns the pauses in force.
func (s *Server) paused() ([]gavel.Pause, error) {
	if s.cfg.Pauses == nil {
		return []gavel.Pause{}, nil
	}
	list, err := s.cfg.Pauses.List()
	if err != nil {
		return nil, pauseError(err)
	}
	return list, nil
}

// audit records what a caller did. Without a decision log it does nothing.
func (s *Server) audit(ctx context.Context, from caller, kind, agent string, detail map[string]any) error {
	if s.cfg.Audit == nil {
		return nil
	}
	return s.cfg.Audit.Audit(ctx, gavel.AuditEvent{Kind: kind, Timestamp: s.cfg.Now().UTC(), By: from.credential(), From: from.from, Agent: agent, Detail: detail})
}
