package regoir

import (
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// nativeOfTexts is native for functions of texts.
func stringIntrinsic(name string) (one func(a *ast.Term) *ast.Term, two func(a, b *ast.Term) *ast.Term) {
	switch name {
	case "startswith":
		two = testStrings(strings.HasPrefix)
	case "endswith":
		two = testStrings(strings.HasSuffix)
	case "contains":
		two = testStrings(strings.Contains)
	case "lower":
		one = mapString(strings.ToLower)
	case "upper":
		one = mapString(strings.ToUpper)
	case "trim_space":
		one = mapString(strings.TrimSpace)
	case "trim_left":
		two = mapStringBy(strings.TrimLeft)
	case "trim_right":
		two = mapStringBy(strings.TrimRight)
	case "trim_prefix":
		two = mapStringBy(strings.TrimPrefix)
	case "trim_suffix":
		two = mapStringBy(strings.TrimSuffix)
	case "sprintf":
		two = formatStrings
	}
	return one, two
}

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

// changed is a function that mostly leaves a text as it is.
func mapString(f func(string) string) func(*ast.Term) *ast.Term {
	return func(a *ast.Term) *ast.Term {
		x, ok := a.Value.(ast.String)
		if !ok {
			return nil
		}
		if text := f(string(x)); text != string(x) {
			return ast.InternedTerm(text)
		}
		return a
	}
}

func mapStringBy(f func(text, by string) string) func(a, b *ast.Term) *ast.Term {
	return func(a, b *ast.Term) *ast.Term {
		by, ok := b.Value.(ast.String)
		if !ok {
			return nil
		}
		return mapString(func(text string) string { return f(text, string(by)) })(a)
	}
}

// formatted is sprintf of texts into a format that has no verb but %s. It is nil for all others.
func formatStrings(format, args *ast.Term) *ast.Term {
	pattern, ok := format.Value.(ast.String)
	if !ok || !isArray(args) {
		return nil
	}
	rest, fits := string(pattern), true
	var text strings.Builder
	Each(args, func(arg *ast.Term) {
		before, after, found := strings.Cut(rest, "%s")
		s, isText := arg.Value.(ast.String)
		fits = fits && found && isText && !strings.Contains(before, "%")
		text.WriteString(before)
		text.WriteString(string(s))
		rest = after
	})
	if !fits || strings.Contains(rest, "%") {
		return nil
	}
	text.WriteString(rest)
	return ast.StringTerm(text.String())
}
