package server

import (
	"fmt"
	"net/http"

	"gavel"
	"gavel/internal/strictjson"
)

// runAnswer is the answer to POST /v1/runs.
type runAnswer struct {
	Recorded bool `json:"recorded"` // false if this server has no decision log
}

// postRun answers POST /v1/runs: an enforcement point reports what happened to a command. The event
// has been passed to the decision log when the answer is sent, as decisions are.
func (s *Server) postRun(w http.ResponseWriter, r *http.Request, from caller) error {
	if err := noQuery(r.URL); err != nil {
		return err
	}
	var run gavel.RunEvent
	if err := strictjson.Unmarshal(body(r), &run); err != nil {
		return err
	}
	if err := run.Check(); err != nil {
		return err
	}
	if !from.speaks.SpeaksFor(run.Agent, run.Session) {
		return &apiError{Code: codeScopeRequired, Message: fmt.Sprintf("the credential does not speak for agent %q in this session", run.Agent), Fix: "use a token that names the agent"}
	}
	event := run.AuditEvent(s.cfg.Now())
	if err := s.audit(r.Context(), from, event.Kind, event.Agent, event.Detail); err != nil {
		return err
	}
	s.respond(w, r, http.StatusOK, runAnswer{s.cfg.Audit != nil})
	return nil
}
