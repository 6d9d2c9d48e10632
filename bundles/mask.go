package bundles

import (
	"errors"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// maskRules reads data.system.log.mask as OPA does: a pointer to remove, or an
// object with op, path and value.
func maskRules(term *ast.Term) ([]gavel.MaskRule, error) {
	var list []gavel.MaskRule
	var wrong error
	err := each(term, func(element *ast.Term) {
		if pointer, ok := element.Value.(ast.String); ok {
			list = append(list, gavel.MaskRule{Op: "remove", Path: string(pointer)})
			return
		}
		rule := gavel.MaskRule{Op: getText(element, "op"), Path: getText(element, "path")}
		if value := get(element, "value"); value != nil {
			if rule.Value, wrong = ast.JSON(value.Value); wrong != nil {
				return
			}
		}
		list = append(list, rule)
	})
	return list, errors.Join(err, wrong)
}
