package bundles

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
)

// ruleText is the text in the METADATA of a rule that gives a reason. If the rule computes its
// whole message or fix, says and advises describe that for the documentation.
type ruleText struct{ title, description, message, fix, file, says, advises string }

// Rule is a rule that gives a reason, for documentation.
type Rule struct {
	Code, Title, Description, Message, Fix string
	File                                   string // where the rule is
}

// Rules returns every rule that can give a reason, sorted by code.
func (s *Snapshot) Rules() []Rule {
	list := make([]Rule, 0, len(s.texts))
	for code, t := range s.texts {
		list = append(list, Rule{code, t.title, t.description, cmp.Or(t.says, t.message), cmp.Or(t.advises, t.fix), t.file})
	}
	slices.SortFunc(list, func(a, b Rule) int { return strings.Compare(a.Code, b.Code) })
	return list
}

// ruleTexts returns the texts of every rule that has a code, by code.
func ruleTexts(compiler *ast.Compiler) map[string]ruleText {
	found := map[string]ruleText{}
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
		found[code] = ruleText{annotated.Annotations.Title, annotated.Annotations.Description, message, fix,
			strings.TrimPrefix(annotated.Annotations.Location.File, "/"), says, advises}
	}
	return found
}

// render fills in the message and the fix of a reason. In stock OPA, rego/gavel/reason does it.
func (t ruleText) render(code string, args, fixArgs *ast.Term) (layer, message, fix string) {
	layer, _, _ = strings.Cut(code, ".")
	return layer, format(t.message, args), format(t.fix, fixArgs)
}

// format fills in a template: %s is a value as text, %q quotes it, %d is a number. People must
// never see a directive: a missing value is written as "?", and an extra one is dropped.
func format(template string, args *ast.Term) string {
	before, rest, found := strings.Cut(template, "%")
	if !found {
		return template
	}
	var array [4]*ast.Term
	values := array[:0]
	_ = each(args, func(arg *ast.Term) { values = append(values, arg) }) // anything but a list has no values
	next := func() string {
		if len(values) == 0 {
			return "?"
		}
		value := values[0]
		values = values[1:]
		return plainText(value)
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
		default: // not a directive, as in "100 % of it"
			text = append(append(text, '%'), directive...)
		}
	}
	return string(append(text, before...))
}

// plainText returns a string without quotes, an integer in decimal, and anything else as Rego.
func plainText(term *ast.Term) string {
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
