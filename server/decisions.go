package server

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gavel"
	"gavel/internal/strictjson"
)

// postDecision answers POST /v1/decisions: one call in, one decision out.
func (s *Server) postDecision(w http.ResponseWriter, r *http.Request, from caller) error {
	wants, err := parseDecideQuery(r.URL)
	if err != nil {
		return err
	}
	call, err := strictjson.DecodeCall(body(r), true)
	if err != nil {
		return err
	}
	if err := from.setCaller(&call, ""); err != nil {
		return err
	}
	options := from.options(wants)
	options.BeginWait = s.waitHook(w, from)
	decision := s.cfg.PDP.Decide(r.Context(), call, options)
	from.removeHiddenFacts(&decision)
	s.metrics.decided(&decision)
	s.respond(w, r, http.StatusOK, &decision)
	return nil
}

// batchAnswer is the answer to POST /v1/decisions/batch.
type batchAnswer struct {
	Decisions []gavel.Decision `json:"decisions"`
}

// postBatch answers POST /v1/decisions/batch: all calls are decided by the same snapshot, in order,
// or none is.
func (s *Server) postBatch(w http.ResponseWriter, r *http.Request, from caller) error {
	wants, err := parseDecideQuery(r.URL)
	if err != nil {
		return err
	}
	calls, err := strictjson.DecodeCalls(body(r), s.cfg.MaxBatch)
	if err != nil {
		return err
	}
	for i := range calls {
		if err := from.setCaller(&calls[i], fmt.Sprintf("/calls/%d", i)); err != nil {
			return err
		}
	}
	options := from.options(wants)
	options.BeginWait = s.waitHook(w, from)
	decisions := s.cfg.PDP.DecideAll(r.Context(), calls, options)
	for i := range decisions {
		from.removeHiddenFacts(&decisions[i])
		s.metrics.decided(&decisions[i])
	}
	s.respond(w, r, http.StatusOK, batchAnswer{decisions})
	return nil
}

// setCaller sets the caller of a call, and returns an error if the call has a claim that the
// credential may not make. path is the JSON pointer of the call, for the error.
func (c caller) setCaller(call *gavel.Call, path string) error {
	call.Caller = c.speaks
	if call.Caller == nil { // the credential speaks for no agent, and may only ask about tools
		call.Caller = &gavel.CallerFacts{Kind: gavel.CallerGateway, Name: c.credential(), Agents: []string{"*"},
			Claims: []string{gavel.ClaimModel, gavel.ClaimGroup, gavel.ClaimDepth, gavel.ClaimParents, gavel.ClaimSandboxed}}
	}
	for _, claim := range call.Claims() {
		if slices.Contains(call.Caller.Claims, claim) {
			continue
		}
		member := claim
		if claim == gavel.ClaimDepth || claim == gavel.ClaimParents || claim == gavel.ClaimSandboxed {
			member = "agent/" + claim
		}
		return &apiError{Code: codeScopeRequired, Path: path + "/" + member,
			Message: fmt.Sprintf("the credential %s may not send %s", c.credential(), strings.ReplaceAll(member, "/", ".")),
			Fix: fmt.Sprintf("use a token of the scope %s, or one with the claim %s (gavel token create --claim %s), or leave %s out",
				gavel.ScopeGateway, claim, claim, strings.ReplaceAll(member, "/", "."))}
	}
	return nil
}

// decideOptions are the parts that an answer should have in addition to the decision.
type decideOptions struct{ explain, change, pins bool }

// options returns the options of a decision for the caller. Changes and pins reveal lines of the
// configuration and paths of this machine, as facts do, so only callers who may see facts get them.
func (c caller) options(wants decideOptions) gavel.Options {
	facts := c.rights()&gavel.RightFacts != 0
	return gavel.Options{Explain: wants.explain, Change: wants.change && facts, Pins: wants.pins && facts, RequestedBy: c.String(),
		Caller: c.credential(), Person: c.person, Issue: c.issue}
}

// parseDecideQuery parses ?explain=, ?change= and ?pins=, each true or false. Anything else is an
// error.
func parseDecideQuery(u *url.URL) (wants decideOptions, err error) {
	query, err := url.ParseQuery(u.RawQuery)
	for name, values := range query {
		into, known := map[string]*bool{"explain": &wants.explain, "change": &wants.change, "pins": &wants.pins}[name]
		if !known || len(values) != 1 || values[0] != "true" && values[0] != "false" {
			return decideOptions{}, errDecideQuery()
		}
		*into = values[0] == "true"
	}
	if err != nil {
		return decideOptions{}, errDecideQuery()
	}
	return wants, nil
}

func errDecideQuery() error {
	return &apiError{Code: codeInvalidQuery, Message: "the query is not understood",
		Fix: "use explain, change and pins, each with true or false, each at most once, and nothing else"}
}

// noQuery refuses any query.
func noQuery(u *url.URL) error {
	if u.RawQuery == "" {
		return nil
	}
	return &apiError{Code: codeInvalidQuery, Message: "this path takes no query", Fix: "leave out the query after the ?"}
}
