package bundles

import (
	"context"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// VerifierSettings returns the settings of every configured verifier, by the path that a decision
// has as its endpoint (gavel.AskedVerifier). Secrets are only references.
func (s *Snapshot) VerifierSettings(ctx context.Context) (gavel.VerifierSettings, error) {
	var settings gavel.VerifierSettings
	term, err := s.eval(ctx, queryVerifiers, ast.NewObject())
	if err != nil || term == nil {
		return settings, err
	}
	value, err := ast.JSON(term.Value)
	if err == nil {
		err = decodeJSON(value, &settings)
	}
	if err != nil {
		return settings, fmt.Errorf("read the settings of verifiers: %w", err)
	}
	return settings, nil
}
