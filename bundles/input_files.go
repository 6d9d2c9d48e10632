package bundles

import (
	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// termsOf makes a list of facts. It is null where nobody looked: none is an empty list.
func termsOf[T any](list []T, term func(*T) *ast.Term) *ast.Term {
	if list == nil {
		return ast.NullTerm()
	}
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	items := make([]*ast.Term, len(list))
	for i := range list {
		items[i] = term(&list[i])
	}
	return ast.ArrayTerm(items...)
}

func resourcesTerm(list []gavel.Resource) *ast.Term {
	return termsOf(list, func(r *gavel.Resource) *ast.Term {
		return ast.ObjectTerm(field("access", text(r.Access)), field("given", text(r.Given)),
			field("path", text(r.Path)), field("real", text(r.Real)))
	})
}

func constructsTerm(list []gavel.Construct) *ast.Term {
	return termsOf(list, func(c *gavel.Construct) *ast.Term {
		return ast.ObjectTerm(field("kind", text(c.Kind)), field("construct", text(c.Construct)),
			field("start", number(c.Start)), field("end", number(c.End)))
	})
}

func redirectsTerm(list []gavel.Redirect) *ast.Term {
	return termsOf(list, func(r *gavel.Redirect) *ast.Term {
		return ast.ObjectTerm(
			field("operator", text(r.Operator)), field("descriptor", text(r.Descriptor)),
			field("reads", flag(r.Reads)), field("writes", flag(r.Writes)),
			field("target", text(r.Target)), field("dynamic", flag(r.Dynamic)),
			field("path", text(r.Path)), field("real", text(r.Real)), field("after", flag(r.After)),
			field("start", number(r.Start)), field("end", number(r.End)))
	})
}

func touchesTerm(list []gavel.Touch) *ast.Term {
	return termsOf(list, func(t *gavel.Touch) *ast.Term {
		return ast.ObjectTerm(field("kind", text(t.Kind)), field("access", text(t.Access)),
			field("given", text(t.Given)), field("real", text(t.Real)),
			field("holds", flag(t.Holds)), field("program", text(t.Program)))
	})
}
