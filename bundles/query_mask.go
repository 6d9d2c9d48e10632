package bundles

import (
	"context"
	"errors"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Masks implements gavel.Snapshot.
func (s *Snapshot) Masks() bool { return s.masks }

// Mask implements gavel.Snapshot.
func (s *Snapshot) Mask(ctx context.Context, event map[string]any) ([]gavel.MaskRule, error) {
	value, err := ast.InterfaceToValue(event)
	if err != nil {
		return nil, fmt.Errorf("read the event: %w", err)
	}
	term, err := s.eval(ctx, queryMask, value)
	if err != nil || term == nil {
		return nil, err
	}
	return readMaskRules(term)
}

// readMaskRules reads data.system.log.mask as OPA does. Each rule is a JSON pointer to remove, or
// an object with op, path and value.
func readMaskRules(term *ast.Term) ([]gavel.MaskRule, error) {
	var list []gavel.MaskRule
	var failed error
	err := each(term, func(element *ast.Term) {
		if pointer, ok := element.Value.(ast.String); ok {
			list = append(list, gavel.MaskRule{Op: "remove", Path: string(pointer)})
			return
		}
		rule := gavel.MaskRule{Op: getString(element, "op"), Path: getString(element, "path")}
		if value := get(element, "value"); value != nil {
			var err error
			if rule.Value, err = ast.JSON(value.Value); err != nil {
				failed = err
				return
			}
		}
		list = append(list, rule)
	})
	return list, errors.Join(err, failed)
}
