package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// readAsks reads which verifiers to ask now. It returns nil if there are none. Then nobody is
// asked, and the call stays denied, because the effect that comes with asks is deny.
func (s *Snapshot) readAsks(term *ast.Term) (*gavel.Asks, error) {
	if term == nil || term.Equal(ast.InternedNullTerm) {
		return nil, nil
	}
	a := &gavel.Asks{Timeout: getSeconds(term, "timeout"), Remember: getSeconds(term, "remember"), Scope: getString(term, "scope"), Redact: getStrings(term, "redact")}
	_ = each(get(term, "verifiers"), func(verifier *ast.Term) { // anything but a list has no verifiers
		a.Verifiers = append(a.Verifiers, gavel.AskedVerifier{Name: getString(verifier, "name"), Endpoint: getString(verifier, "endpoint"), Timeout: getSeconds(verifier, "timeout")})
	})
	if len(a.Verifiers) == 0 {
		return nil, nil
	}
	var err error
	if because := get(term, "because"); because != nil {
		a.Reasons, err = s.readReasons(because)
	}
	return a, err
}
