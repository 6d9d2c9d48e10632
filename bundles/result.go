package bundles

import (
	"errors"
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/regoir"
)

// errResultShape means that a rule's value is not what Gavel expects of it. It denies.
var errResultShape = errors.New("the policy's result does not have the shape of a decision")

// result is the value of data.gavel.decision.result. It never changes.
type result struct {
	effect  gavel.Effect
	reasons []gavel.Reason
	terms   *gavel.Terms // if the effect is ask
	web     *gavel.Web   // if the call opens a URL
	verify  []string     // the verifiers that must agree, or have agreed
	asks    *gavel.Asks  // what to ask the verifiers now; nil for nothing
	plan    execPlan
}

// readResult reads data.gavel.decision.result.
func (s *Snapshot) readResult(term *ast.Term) (*result, error) {
	r := &result{}
	var err error
	if r.plan, err = s.readExecPlan(get(term, "exec")); err != nil {
		return nil, err
	}
	if err := r.effect.UnmarshalText([]byte(getString(term, "effect"))); err != nil {
		return nil, fmt.Errorf("%w: %w", errResultShape, err)
	}
	if r.reasons, err = s.readReasons(get(term, "reasons")); err != nil {
		return nil, err
	}
	if len(r.reasons) == 0 {
		return nil, fmt.Errorf("%w: it gives no reason", errResultShape)
	}
	if r.web, err = readWeb(get(term, "web")); err != nil {
		return nil, err
	}
	if r.effect == gavel.Ask {
		r.terms = readTerms(get(term, "terms"))
	}
	if verify := get(term, "verify"); verify != nil {
		r.verify = getStrings(term, "verify")
	}
	r.asks, err = s.readAsks(regoir.Materialize(get(term, "asks")))
	return r, err
}

// newDecision creates a decision from a result. It shares no memory with the result, which may
// be cached.
func (s *Snapshot) newDecision(r *result, facts *gavel.Facts) (gavel.Decision, error) {
	d := gavel.Decision{Effect: r.effect, Revision: s.revision, Reasons: cloneReasons(r.reasons), Terms: cloneTerms(r.terms), Web: cloneWeb(r.web),
		Verify: slices.Clone(r.verify), Asks: cloneAsks(r.asks)}
	if r.plan.host != "" && facts.Exec != nil && d.Effect != gavel.Deny {
		d.Exec = newExec(d.Effect, r.plan, facts)
		if r.plan.offerError != nil {
			return d, r.plan.offerError
		}
		d.Exec.Offer = cloneOffer(r.plan.offer)
	}
	return d, nil
}
