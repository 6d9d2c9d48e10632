package bundles

import (
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
)

// Facts become AST values directly: a round trip through JSON types costs more
// than the decision itself. facts_input.go says which members there are.

// question is what an input is made for.
type question struct {
	// lean leaves out what is tagged so.
	lean bool
	// params are the tool's parameters, or nil where no rule of the policy could read them.
	params *ast.Term
	// zero are the members that most inputs have alike.
	zero *zeroFields
}

// factsInput is the input of a decision: the facts and the frozen part. The terms
// that the frozen part was computed from are taken from where it is remembered.
func factsInput(facts *gavel.Facts, known *remembered, params *ast.Term) ast.Value {
	return newInput(facts, known, &question{params: params, zero: known.zero})
}

// leanInput is the same without facts that differ from call to call and only say
// more of what is judged by others: those with the tag lean:"-". Taking a fact away never
// permits more (rego/gavel/decision/properties_test.rego), so what the policy permits
// without them it permits.
func leanInput(facts *gavel.Facts, known *remembered) ast.Value {
	return newInput(facts, known, &question{lean: true, zero: known.zero})
}

func newInput(facts *gavel.Facts, known *remembered, q *question) ast.Value {
	fields := append(make([][2]*ast.Term, 0, len(known.fields)+16), known.fields...)
	fields = append(fields, field("frozen", known.frozen))
	return ast.NewObject(callFields(fields, facts, q)...)
}

// contextInput is the input of the frozen part: what it may depend on, no more.
func contextInput(facts *gavel.Facts, fields [][2]*ast.Term, tool string, custom *ast.Term) ast.Value {
	sender := contextSender(facts)
	return ast.NewObject(append(slices.Clone(fields),
		field("sender", senderTerm(&sender, &question{})),
		field("tool", ast.ObjectTerm(field("name", text(tool)))),
		field("snapshot", ast.ObjectTerm(field("custom", custom))))...)
}

// contextSender is what the frozen part may know of the sender: who it is matters
// to group policies only.
func contextSender(facts *gavel.Facts) gavel.SenderFacts {
	if facts.Group.Channel == "" || len(facts.Group.IDs) == 0 {
		return gavel.SenderFacts{Owner: facts.Sender.Owner}
	}
	return facts.Sender
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

// observed is null where nobody looked: nothing seen is an empty list.
func observed[T any](list []T, term *ast.Term) *ast.Term {
	if list == nil {
		return ast.InternedNullTerm
	}
	return term
}

// field is one member of an object.
func field(key string, value *ast.Term) [2]*ast.Term {
	return [2]*ast.Term{ast.InternedTerm(key), value}
}
