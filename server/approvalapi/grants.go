package approvalapi

import (
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"gavel"
	"gavel/approvals"
	"gavel/grant"
	"gavel/internal/strictjson"
)

// verifyBody is the body of POST /v1/grants/verify: a grant, and the call that is about to run,
// either as for a decision or as the parts of its binding.
type verifyBody struct {
	Grant string         `json:"grant"`
	Call  jsontext.Value `json:"call"`
	Bound *grant.Bound   `json:"bound"`
	// Host and Node are where the call is about to run; the default is that of the grant.
	Host string `json:"host"`
	Node string `json:"node"`
	// Exec is that of the decision with which the call is about to run. If it is there, its
	// obligations must be those of the grant.
	Exec *gavel.Exec `json:"exec"`
}

// verifyAnswer confirms that a grant permits a call, and that it is now used up.
type verifyAnswer struct {
	OK       bool   `json:"ok"`
	Approval string `json:"approval"`
	Binding  string `json:"binding"`
}

// postVerify answers POST /v1/grants/verify: it computes the binding of the call that is about to
// run, compares it with the grant's, and uses the grant up.
func (a *API) postVerify(w http.ResponseWriter, r *http.Request, from gavel.Caller) error {
	if a.cfg.Verifier == nil {
		return &gavel.ApprovalError{Code: gavel.CodeGrantInvalid, Message: "this server does not issue grants", Fix: "ask the server that issued the grant"}
	}
	var body verifyBody
	if err := read(w, r, &body); err != nil {
		return err
	}
	actual, err := a.boundCall(r, &body, from)
	if err != nil {
		return err
	}
	if err := a.checkObligations(&body); err != nil {
		return err
	}
	claims, err := a.cfg.People.RedeemFor(r.Context(), from, a.cfg.Verifier, body.Grant, actual)
	if err != nil {
		return err
	}
	return respond(w, verifyAnswer{true, claims.Approval, claims.Binding})
}

// checkObligations compares the obligations of the grant with those of the decision in the request,
// if it has one.
func (a *API) checkObligations(body *verifyBody) error {
	if body.Exec == nil {
		return nil
	}
	claims, err := a.cfg.Verifier.Read(body.Grant)
	if err != nil {
		return approvals.GrantError(err)
	}
	obligations, err := grant.Obligations(body.Exec.Obligations())
	if err == nil {
		err = claims.CheckObligations(obligations)
	}
	return approvals.GrantError(err)
}

// boundCall returns the binding of the call that is about to run. If anything about it is unclear,
// it returns an error, and no grant permits the call.
func (a *API) boundCall(r *http.Request, body *verifyBody, from gavel.Caller) (*grant.Bound, error) {
	if (body.Bound == nil) == (body.Call == nil) {
		return nil, &gavel.InputError{Path: "/call", Message: "exactly one of call and bound is required", Fix: "send one of them, for what is about to run"}
	}
	if body.Bound != nil {
		return body.Bound, checkSpeaksFor(from, body.Bound.Agent, body.Bound.Session)
	}
	call, err := strictjson.DecodeCall(body.Call, true)
	if err != nil {
		return nil, err
	}
	if err := checkSpeaksFor(from, call.Agent.ID, call.Session.Key); err != nil {
		return nil, err
	}
	call.Caller = speaker(from)
	for _, claim := range call.Claims() {
		if !from.MayClaim(claim) {
			return nil, &gavel.InputError{Path: "/call", Message: fmt.Sprintf("this credential may not claim %s about a call", claim), Fix: "leave it out, or use a token of the scope gateway"}
		}
	}
	claims, err := a.cfg.Verifier.Read(body.Grant)
	if err != nil {
		return nil, approvals.GrantError(err)
	}
	host, node := claims.Host, claims.Node
	if body.Host != "" {
		host, node = body.Host, body.Node
	}
	facts, err := a.cfg.PDP.Observe(r.Context(), call)
	if err != nil {
		return nil, err
	}
	bound, err := a.cfg.People.BindCall(&facts, host, node)
	if err != nil {
		return nil, &gavel.ApprovalError{Code: gavel.CodeApprovalUnbound, Message: "it is unclear what exactly is about to run: " + err.Error(),
			Fix: "name what runs so that it can be found"}
	}
	return bound, nil
}

// checkSpeaksFor returns an error if the caller does not speak for the agent in this session.
// Otherwise it could use up the grants of others.
func checkSpeaksFor(from gavel.Caller, agent, session string) error {
	if speaker(from).SpeaksFor(agent, session) {
		return nil
	}
	return &gavel.ApprovalError{Code: gavel.CodeGrantMismatch, Message: fmt.Sprintf("this credential does not speak for agent %q in this session", agent),
		Fix: "use the credential of the one that runs the call", Details: []string{"agent"}}
}

// getKey answers GET /v1/grants/key: the public key that verifies grants, in PEM.
func (a *API) getKey(w http.ResponseWriter, _ *http.Request, _ gavel.Caller) error {
	if len(a.cfg.PublicKey) == 0 {
		return &gavel.ApprovalError{Code: gavel.CodeGrantInvalid, Message: "this server does not issue grants", Fix: "ask the server that issued the grant"}
	}
	w.Header().Set("Content-Type", "application/x-pem-file")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(a.cfg.PublicKey) // it fails only if the client is gone
	return nil
}
