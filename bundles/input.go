package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Facts are converted to AST values directly, because a round trip through JSON types costs
// more than the decision itself. facts_input.go lists the members.

// question describes the input to build.
type question struct {
	// lean omits members with the tag.
	lean bool
	// params are the tool's parameters, or nil if no rule of the policy could read them.
	params *ast.Term
	// zero are the members that are equal in most inputs, and names the terms of the names
	// of members. The input of the frozen part, which is made once, has neither.
	zero  *zeroFields
	names map[string]*ast.Term
}

// factsInput is the input of a decision: the facts and the frozen part. The terms of the
// context are taken from the cache.
func factsInput(facts *gavel.Facts, known *remembered, params *ast.Term) ast.Value {
	return newInput(facts, known, &question{params: params, zero: known.terms.zero, names: known.terms.names})
}

// leanInput is factsInput without facts that differ from call to call and only add detail:
// those tagged lean:"-". Removing a fact never permits more
// (rego/gavel/decision/properties_test.rego), so if the policy permits a call without them,
// it permits the call.
func leanInput(facts *gavel.Facts, known *remembered) ast.Value {
	return newInput(facts, known, &question{lean: true, zero: known.terms.zero, names: known.terms.names})
}

func newInput(facts *gavel.Facts, known *remembered, q *question) ast.Value {
	fields := append(make([][2]*ast.Term, 0, len(known.fields)+16), known.fields...)
	fields = append(fields, field("frozen", known.frozen))
	return ast.NewObject(callFields(fields, facts, q)...)
}

// contextInput is the input of the frozen part: exactly what it may depend on.
func contextInput(sender *gavel.SenderFacts, fields [][2]*ast.Term, tool string, custom *ast.Term) ast.Value {
	return ast.NewObject(append(slices.Clone(fields),
		field("sender", senderTerm(sender, &question{})),
		field("tool", ast.ObjectTerm(field("name", text(tool)))),
		field("snapshot", ast.ObjectTerm(field("custom", custom))))...)
}

func text(s string) *ast.Term {
	if s == "" {
		return ast.InternedEmptyString
	}
	return ast.StringTerm(s)
}

func flag(b bool) *ast.Term { return ast.InternedTerm(b) }

func number(n int) *ast.Term { return ast.InternedTerm(n) }

func texts(list []string) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, s := range list {
		terms[i] = ast.StringTerm(s)
	}
	return ast.ArrayTerm(terms...)
}

func numbers(list []int) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, n := range list {
		terms[i] = number(n)
	}
	return ast.ArrayTerm(terms...)
}

func textsByName(lists map[string][]string) *ast.Term {
	fields := make([][2]*ast.Term, 0, len(lists))
	for name, list := range lists {
		fields = append(fields, [2]*ast.Term{text(name), texts(list)})
	}
	return ast.ObjectTerm(fields...)
}

func objects[T any](list []T, q *question, object func(*T, *question) *ast.Term) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i := range list {
		terms[i] = object(&list[i], q)
	}
	return ast.ArrayTerm(terms...)
}

// observed is null for a nil list, which means not observed; an empty list means that nothing
// was found.
func observed[T any](list []T, term *ast.Term) *ast.Term {
	if list == nil {
		return ast.InternedNullTerm
	}
	return term
}

// inputTerms are the terms that all inputs share.
type inputTerms struct {
	zero  *zeroFields
	names map[string]*ast.Term
}

func newInputTerms() *inputTerms {
	names := map[string]*ast.Term{}
	for _, name := range memberNames() {
		names[name] = ast.InternedTerm(name)
	}
	return &inputTerms{zero: newZeroFields(), names: names}
}

// field is one member of an object, whose name has one term for all inputs.
func (q *question) field(name string, value *ast.Term) [2]*ast.Term {
	if known, ok := q.names[name]; ok {
		return [2]*ast.Term{known, value}
	}
	return field(name, value)
}

// field is one member of an object.
func field(key string, value *ast.Term) [2]*ast.Term {
	return [2]*ast.Term{ast.InternedTerm(key), value}
}
