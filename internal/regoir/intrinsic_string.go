package regoir

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// stringIntrinsic is intrinsic for functions of strings.
func stringIntrinsic(name string) (unary func(a *ast.Term) *ast.Term, binary func(a, b *ast.Term) *ast.Term) {
	switch name {
	case "startswith":
		binary = testStrings(strings.HasPrefix)
	case "endswith":
		binary = testStrings(strings.HasSuffix)
	case "contains":
		binary = testStrings(strings.Contains)
	case "lower":
		unary = mapString(strings.ToLower)
	case "upper":
		unary = mapString(strings.ToUpper)
	case "trim_space":
		unary = mapString(strings.TrimSpace)
	case "trim_left":
		binary = mapStringBy(strings.TrimLeft)
	case "trim_right":
		binary = mapStringBy(strings.TrimRight)
	case "trim_prefix":
		binary = mapStringBy(strings.TrimPrefix)
	case "trim_suffix":
		binary = mapStringBy(strings.TrimSuffix)
	case "sprintf":
		binary = formatStrings
	}
	return unary, binary
}

// testStrings returns an intrinsic such as startswith.
func testStrings(f func(a, b string) bool) func(a, b *ast.Term) *ast.Term {
	return func(a, b *ast.Term) *ast.Term {
		x, okX := a.Value.(ast.String)
		y, okY := b.Value.(ast.String)
		if !okX || !okY {
			return nil
		}
		return ast.InternedTerm(f(string(x), string(y)))
	}
}

// mapString returns an intrinsic such as lower. It allocates nothing for a string that f does not
// change, which is the usual case.
func mapString(f func(string) string) func(*ast.Term) *ast.Term {
	return func(a *ast.Term) *ast.Term {
		x, ok := a.Value.(ast.String)
		if !ok {
			return nil
		}
		if mapped := f(string(x)); mapped != string(x) {
			return ast.InternedTerm(mapped)
		}
		return a
	}
}

// mapStringBy returns an intrinsic such as trim_prefix.
func mapStringBy(f func(s, arg string) string) func(a, b *ast.Term) *ast.Term {
	return func(a, b *ast.Term) *ast.Term {
		arg, ok := b.Value.(ast.String)
		if !ok {
			return nil
		}
		return mapString(func(s string) string { return f(s, string(arg)) })(a)
	}
}

// formatStrings is sprintf for strings and a format without any verb but %s.
func formatStrings(format, args *ast.Term) *ast.Term {
	pattern, ok := format.Value.(ast.String)
	if !ok || !isArray(args) {
		return nil
	}
	rest, ok := string(pattern), true
	var text strings.Builder
	Each(args, func(arg *ast.Term) {
		before, after, hasVerb := strings.Cut(rest, "%s")
		s, isString := arg.Value.(ast.String)
		ok = ok && hasVerb && isString && !strings.Contains(before, "%")
		text.WriteString(before)
		text.WriteString(string(s))
		rest = after
	})
	if !ok || strings.Contains(rest, "%") {
		return nil
	}
	text.WriteString(rest)
	return ast.StringTerm(text.String())
}
