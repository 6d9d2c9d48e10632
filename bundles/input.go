package bundles

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/regoir"
)

// Facts become members of the input when a rule looks at them: most rules do not look at most
// facts. facts_input.go lists the members.

// question is what an input is made of besides facts. It is for one evaluation.
type question struct {
	shapes *shapes
	// context are the members that the frozen part depends on, and frozen is that part.
	context [][2]*ast.Term
	frozen  *ast.Term
	// looked is what rules have looked at, of the facts that vary.
	looked varying
	wrong  error // why the tool's parameters cannot be a value
}

func newQuestion(known *remembered) *question {
	return &question{shapes: known.shapes, context: known.fields, frozen: known.shared}
}

// varying are parts of the facts that differ from call to call, and that most rules do not
// look at. The tag varies names the part that a fact belongs to.
type varying uint8

const (
	varyingCall varying = 1 << iota
	varyingParams
	varyingTime
)

// input is the input of a decision: the facts and the frozen part. The facts must not change
// before the evaluation ends.
func (q *question) input(facts *gavel.Facts) ast.Value { return factsTerm(facts, q).Value }

// given makes a value of what a call gave.
func (q *question) given(params map[string]any) *ast.Term {
	if params == nil {
		params = map[string]any{}
	}
	value, err := ast.InterfaceToValue(params)
	if err != nil {
		q.wrong = fmt.Errorf("read the tool's parameters: %w", err)
		return nil
	}
	return ast.NewTerm(value)
}

// contextInput is the input of the frozen part: exactly what it may depend on.
func contextInput(sender *gavel.SenderFacts, fields [][2]*ast.Term, tool string, custom *ast.Term, q *question) ast.Value {
	return ast.NewObject(append(slices.Clone(fields),
		field("sender", regoir.Materialize(senderTerm(sender, q))),
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
	return regoir.NewLazyArray(terms)
}

// observed is null for a nil list, which means not observed; an empty list means that nothing
// was found.
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
