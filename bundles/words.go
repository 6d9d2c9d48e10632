package bundles

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// words are the texts of a rule's METADATA. says and advises describe, for documentation, a
// message and a fix that are made as a whole from what the rule finds.
type words struct{ title, description, message, fix, file, says, advises string }

// Rule is one rule that gives a reason, for documentation.
type Rule struct {
	Code, Title, Description, Message, Fix string
	File                                   string // the rule's location
}

// Rules lists every rule that can give a reason, by code.
func (s *Snapshot) Rules() []Rule {
	list := make([]Rule, 0, len(s.words))
	for code, w := range s.words {
		list = append(list, Rule{code, w.title, w.description, cmp.Or(w.says, w.message), cmp.Or(w.advises, w.fix), w.file})
	}
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// wordsOf collects the texts of every rule that has a code.
func wordsOf(compiler *ast.Compiler) map[string]words {
	found := map[string]words{}
	for _, annotated := range compiler.GetAnnotationSet().Flatten() {
		custom := annotated.Annotations.Custom
		code, _ := custom["code"].(string)
		if code == "" {
			continue
		}
		message, _ := custom["message"].(string)
		fix, _ := custom["fix"].(string)
		says, _ := custom["says"].(string)
		advises, _ := custom["advises"].(string)
		found[code] = words{annotated.Annotations.Title, annotated.Annotations.Description, message, fix,
			strings.TrimPrefix(annotated.Annotations.Location.File, "/"), says, advises}
	}
	return found
}

// fill formats a reason's message and fix, as rego/gavel/reason does for stock OPA.
func (w words) fill(code string, args, fixArgs *ast.Term) (layer, message, fix string) {
	layer, _, _ = strings.Cut(code, ".")
	message, fix = format(w.message, args), format(w.fix, fixArgs)
	return layer, message, fix
}

// format fills in a template: %s is a value as text, %q quotes it, %d is a number. Whatever
// the values are, a reader sees no directive: a missing value is "?", and one too many is left
// out.
func format(template string, args *ast.Term) string {
	before, rest, found := strings.Cut(template, "%")
	if !found {
		return template
	}
	var given [4]*ast.Term
	values := given[:0]
	_ = each(args, func(arg *ast.Term) { values = append(values, arg) }) // no list, no arguments
	next := func() string {
		if len(values) == 0 {
			return "?"
		}
		value := values[0]
		values = values[1:]
		return native(value)
	}
	text := make([]byte, 0, len(template)+64)
	for ; found; before, rest, found = strings.Cut(rest, "%") {
		text = append(text, before...)
		directive := rest[:min(1, len(rest))]
		rest = rest[len(directive):]
		switch directive {
		case "s", "d":
			text = append(text, next()...)
		case "q":
			text = strconv.AppendQuote(text, next())
		case "%":
			text = append(text, '%')
		default: // a sign of its own, as in 100 % of it
			text = append(append(text, '%'), directive...)
		}
	}
	return string(append(text, before...))
}

func native(term *ast.Term) string {
	switch value := term.Value.(type) {
	case ast.String:
		return string(value)
	case ast.Number:
		if n, ok := value.Int(); ok {
			return strconv.Itoa(n)
		}
	}
	return term.String()
}
