package runner

import (
	"strings"

	"gavel/grant"
)

// grant verifies the grant of a call that a person agreed to, compares it with what is about to run,
// and uses it up. A runner that knows a key refuses such a call without a valid grant.
func (p *Plan) grant() error {
	cfg, approval := &p.runner.cfg, p.Decision.Approval
	switch {
	case approval == nil && !p.onceOnly:
		return nil // the policy permits the call without a person
	case len(cfg.Keys) == 0:
		p.note("the grant was not verified: the runner knows no key of grants")
		return nil
	case approval == nil || approval.Grant == nil:
		return &Refusal{Code: CodeGrant, Message: "a person agreed to the command, and the decision has no grant that proves it",
			Fix: "let the server of this key decide; it issues grants"}
	}
	claims, err := p.claims(approval.Grant.Token)
	if err != nil {
		return &Refusal{Code: CodeGrant, Message: err.Error()}
	}
	do := p.Decision.Exec
	if claims.Approval != approval.ID || !strings.EqualFold(claims.Agent, p.call.Agent.ID) || claims.Host != do.Host || claims.Node != do.Node {
		return &Refusal{Code: CodeGrant, Message: "the grant is for another approval, agent or host"}
	}
	obligations, err := grant.Obligations(do.Obligations())
	if err == nil {
		err = claims.CheckObligations(obligations)
	}
	if err != nil {
		return &Refusal{Code: CodeGrant, Message: err.Error()}
	}
	if err := cfg.Used.Use(claims, cfg.Now()); err != nil {
		return &Refusal{Code: CodeGrant, Message: err.Error()}
	}
	return nil
}

// claims returns what a grant says, if one of the keys signed it and it covers what is about to run.
func (p *Plan) claims(token string) (*grant.Claims, error) {
	bound, err := p.bound()
	if err != nil {
		return nil, err
	}
	return (&grant.Verifier{Keys: p.runner.cfg.Keys, Now: p.runner.cfg.Now}).Verify(token, bound)
}
