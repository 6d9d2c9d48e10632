package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// asks reads whom the policy wants asked. Without any, nobody is: the decision that came with
// it denies.
func (s *Snapshot) asks(term *ast.Term) (*gavel.Asks, error) {
	if term == nil || term.Equal(ast.InternedNullTerm) {
		return nil, nil
	}
	a := &gavel.Asks{Timeout: seconds(term, "timeout"), Remember: seconds(term, "remember"), Scope: getText(term, "scope"), Redact: getTexts(term, "redact")}
	_ = each(get(term, "verifiers"), func(one *ast.Term) { // no list is nobody
		a.Verifiers = append(a.Verifiers, gavel.AskedVerifier{Name: getText(one, "name"), Endpoint: getText(one, "endpoint"), Timeout: seconds(one, "timeout")})
	})
	if len(a.Verifiers) == 0 {
		return nil, nil
	}
	var err error
	if because := get(term, "because"); because != nil {
		a.Reasons, err = s.reasons(because)
	}
	return a, err
}

func seconds(term *ast.Term, key string) time.Duration {
	return time.Duration(getNumber(term, key)) * time.Second
}

func ownAsks(a *gavel.Asks) *gavel.Asks {
	if a == nil {
		return nil
	}
	own := *a
	own.Verifiers, own.Redact = slices.Clone(a.Verifiers), slices.Clone(a.Redact)
	own.Reasons = ownReasons(a.Reasons)
	return &own
}

// VerifierSettings returns the settings of every verifier that the configuration has, by the
// path under which a decision names it (gavel.AskedVerifier). Secrets are references only.
func (s *Snapshot) VerifierSettings(ctx context.Context) (gavel.VerifierSettings, error) {
	var settings gavel.VerifierSettings
	term, err := s.eval(ctx, queryVerifiers, ast.NewObject())
	if err != nil || term == nil {
		return settings, err
	}
	value, err := ast.JSON(term.Value)
	if err != nil {
		return settings, internal("read the settings of verifiers", err)
	}
	text, err := json.Marshal(value)
	if err != nil {
		return settings, internal("read the settings of verifiers", err)
	}
	if err := json.Unmarshal(text, &settings); err != nil {
		return settings, fmt.Errorf("read the settings of verifiers: %w", err)
	}
	return settings, nil
}
