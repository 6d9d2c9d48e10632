package bundles

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// web reads the obligations of a web tool. Without any, the call opens no URL. Incomplete
// obligations would loosen what the enforcement point does, so they are an error.
func web(term *ast.Term) (*gavel.Web, error) {
	if term == nil || get(term, "dial") == nil {
		return nil, nil
	}
	w := &gavel.Web{Redirects: getText(term, "redirects"), MaxResponseBytes: getNumber(term, "maxResponseBytes")}
	err := each(get(term, "dial"), func(element *ast.Term) {
		w.Dial = append(w.Dial, gavel.Dial{Network: getText(element, "network"), Allow: getFlag(element, "allow")})
	})
	if err != nil {
		return nil, err
	}
	if len(w.Dial) == 0 || w.Redirects == "" || w.MaxResponseBytes <= 0 {
		return nil, fmt.Errorf("%w: the limits of a web tool are incomplete", errShape)
	}
	return w, nil
}

func ownWeb(w *gavel.Web) *gavel.Web {
	if w == nil {
		return nil
	}
	own := *w
	own.Dial = slices.Clone(w.Dial)
	return &own
}
