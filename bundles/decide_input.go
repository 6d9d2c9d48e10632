package bundles

import (
	"fmt"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"

	"gavel"
	"gavel/internal/regoir"
)

// The input of an evaluation is a view of the facts: a member becomes a term when a rule looks at
// it, because most rules do not look at most facts. facts_input.go lists the members.

// inputBuilder makes the input of one evaluation. It is not safe for concurrent use.
type inputBuilder struct {
	shapes  *shapes
	context [][2]*ast.Term // the facts in the context, from the frozen part
	frozen  *ast.Term      // the frozen part
	looked  varying        // which of the varying facts rules have looked at so far
	err     error          // the tool's parameters cannot be converted to a term
}

func newInputBuilder(part *frozenPart) *inputBuilder {
	return &inputBuilder{shapes: part.shapes, context: part.fields, frozen: part.shared}
}

// varying is a set of parts of the facts. They differ from call to call, and most rules do not
// look at them, so a cached result may hold for all of their values. In the structs of facts, the
// tag varies names the part that a fact belongs to.
type varying uint8

const (
	varyingCall varying = 1 << iota
	varyingParams
	varyingTime
)

// input returns the input of a decision: the facts and the frozen part. The facts must not change
// before the evaluation ends.
func (b *inputBuilder) input(facts *gavel.Facts) ast.Value { return factsTerm(facts, b).Value }

// params converts the parameters of the call.
func (b *inputBuilder) params(params map[string]any) *ast.Term {
	if params == nil {
		params = map[string]any{}
	}
	value, err := ast.InterfaceToValue(params)
	if err != nil {
		b.err = fmt.Errorf("read the tool's parameters: %w", err)
		return nil
	}
	return ast.NewTerm(value)
}

// contextInput returns the input from which the frozen part is computed: exactly what it may
// depend on.
func contextInput(sender *gavel.SenderFacts, fields [][2]*ast.Term, tool string, custom *ast.Term, b *inputBuilder) ast.Value {
	return ast.NewObject(append(slices.Clone(fields),
		field("sender", regoir.Materialize(senderTerm(sender, b))),
		field("tool", ast.ObjectTerm(field("name", stringTerm(tool)))),
		field("snapshot", ast.ObjectTerm(field("custom", custom))))...)
}
func stringTerm(s string) *ast.Term {
	if s == "" {
		return ast.InternedEmptyString
	}
	return ast.StringTerm(s)
}

func boolTerm(b bool) *ast.Term { return ast.InternedTerm(b) }

func intTerm(n int) *ast.Term { return ast.InternedTerm(n) }

func stringsTerm(list []string) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, s := range list {
		terms[i] = ast.StringTerm(s)
	}
	return ast.ArrayTerm(terms...)
}

func intsTerm(list []int) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i, n := range list {
		terms[i] = intTerm(n)
	}
	return ast.ArrayTerm(terms...)
}

func stringListsTerm(lists map[string][]string) *ast.Term {
	fields := make([][2]*ast.Term, 0, len(lists))
	for name, list := range lists {
		fields = append(fields, [2]*ast.Term{stringTerm(name), stringsTerm(list)})
	}
	return ast.ObjectTerm(fields...)
}

func objectsTerm[T any](list []T, b *inputBuilder, object func(*T, *inputBuilder) *ast.Term) *ast.Term {
	if len(list) == 0 {
		return ast.InternedEmptyArray
	}
	terms := make([]*ast.Term, len(list))
	for i := range list {
		terms[i] = object(&list[i], b)
	}
	return regoir.NewLazyArray(terms)
}

// orNull returns null instead of the term of a nil list. Nil means that nobody looked, and an
// empty list that nothing was found.
func orNull[T any](list []T, term *ast.Term) *ast.Term {
	if list == nil {
		return ast.InternedNullTerm
	}
	return term
}

// field returns a member of an object.
func field(key string, value *ast.Term) [2]*ast.Term {
	return [2]*ast.Term{ast.InternedTerm(key), value}
}
