package server

import (
	"fmt"
	"net/http"
	"net/url"

	"gavel"
	"gavel/internal/strictjson"
)

// postDecision answers POST /v1/decisions: one call in, one decision out.
func (s *Server) postDecision(w http.ResponseWriter, r *http.Request, from caller) error {
	explain, err := explainQuery(r.URL)
	if err != nil {
		return err
	}
	call, err := strictjson.DecodeCall(body(r), true)
	if err != nil {
		return err
	}
	if err := from.mayClaim(&call, ""); err != nil {
		return err
	}
	decision := s.cfg.PDP.Decide(r.Context(), call, gavel.Options{Explain: explain, RequestedBy: from.String(), Caller: from.credential(), Person: from.person()})
	s.metrics.decided(decision.Effect)
	s.respond(w, r, http.StatusOK, decision)
	return nil
}

// batchAnswer is the answer to POST /v1/decisions/batch.
type batchAnswer struct {
	Decisions []gavel.Decision `json:"decisions"`
}

// postBatch answers POST /v1/decisions/batch: every call is decided by the same
// snapshot, in order, or none is.
func (s *Server) postBatch(w http.ResponseWriter, r *http.Request, from caller) error {
	explain, err := explainQuery(r.URL)
	if err != nil {
		return err
	}
	calls, err := strictjson.DecodeCalls(body(r), s.cfg.MaxBatch)
	if err != nil {
		return err
	}
	for i := range calls {
		if err := from.mayClaim(&calls[i], fmt.Sprintf("/calls/%d", i)); err != nil {
			return err
		}
	}
	decisions := s.cfg.PDP.DecideAll(r.Context(), calls, gavel.Options{Explain: explain, RequestedBy: from.String(), Caller: from.credential(), Person: from.person()})
	for i := range decisions {
		s.metrics.decided(decisions[i].Effect)
	}
	s.respond(w, r, http.StatusOK, batchAnswer{decisions})
	return nil
}

// mayClaim refuses a call at path that says what only a trusted gateway may
// say: who sent the message, and where the call would run.
func (c caller) mayClaim(call *gavel.Call, path string) error {
	if c.scope.rights()&rightClaim != 0 {
		return nil
	}
	member := ""
	switch {
	case call.Environment != nil:
		member = "environment"
	case call.Sender != nil:
		member = "sender"
	default:
		return nil
	}
	return &apiError{Code: codeScopeRequired, Path: path + "/" + member,
		Message: fmt.Sprintf("only the scope %s may send %s", ScopeGateway, member),
		Fix:     fmt.Sprintf("use a token of the scope %s, or leave %s out", ScopeGateway, member)}
}

// explainQuery reads ?explain=true|false, and refuses everything else.
func explainQuery(u *url.URL) (explain bool, err error) {
	if u.RawQuery == "" {
		return false, nil
	}
	query, err := url.ParseQuery(u.RawQuery)
	values := query["explain"]
	if err == nil && len(query) == 1 && len(values) == 1 {
		switch values[0] {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	return false, &apiError{Code: codeInvalidQuery, Message: "the query is not understood",
		Fix: "use explain=true or explain=false, once, and nothing else"}
}

// noQuery refuses any query.
func noQuery(u *url.URL) error {
	if u.RawQuery == "" {
		return nil
	}
	return &apiError{Code: codeInvalidQuery, Message: "this path takes no query", Fix: "leave out what follows the ?"}
}
