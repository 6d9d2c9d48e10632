package bundles

import (
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// readWeb reads what the enforcement point must obey when it opens a URL. It returns nil if the
// call opens none. Incomplete obligations are an error, because they would permit more.
func readWeb(term *ast.Term) (*gavel.Web, error) {
	if term == nil || get(term, "dial") == nil {
		return nil, nil
	}
	w := &gavel.Web{Redirects: getString(term, "redirects"), MaxResponseBytes: getInt(term, "maxResponseBytes")}
	err := each(get(term, "dial"), func(element *ast.Term) {
		w.Dial = append(w.Dial, gavel.Dial{Network: getString(element, "network"), Allow: getBool(element, "allow")})
	})
	if err != nil {
		return nil, err
	}
	if len(w.Dial) == 0 || w.Redirects == "" || w.MaxResponseBytes <= 0 {
		return nil, fmt.Errorf("%w: the limits of a web tool are incomplete", errResultShape)
	}
	return w, nil
}
