package regoir

import (
	"reflect"
	"testing"

	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/packed"
)

// fill sets every field of v, at every depth, to a value that differs from the others.
func fill(t *testing.T, v reflect.Value, n *int64) {
	t.Helper()
	*n++
	switch v.Kind() {
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(*n)
	case reflect.Uint32:
		v.SetUint(uint64(*n))
	case reflect.String:
		v.SetString(string(rune('a' + *n)))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range 2 {
			fill(t, v.Index(i), n)
		}
	case reflect.Pointer:
		v.Set(reflect.ValueOf(&ir.Block{Stmts: []ir.Stmt{&ir.ResetLocalStmt{Target: ir.Local(*n)}}}))
	case reflect.Interface:
		v.Set(reflect.ValueOf([]ir.Val{ir.Local(*n), ir.StringIndex(*n), ir.Bool(true)}[*n%3]))
	case reflect.Struct:
		if at, ok := v.Addr().Interface().(*ir.Location); ok {
			at.File, at.Row, at.Col = int(*n), int(*n+1), int(*n+2)
			return
		}
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	default:
		require.Fail(t, "unknown type", "%s", v.Type())
	}
}

func TestEveryFieldOfEveryStatementIsSaved(t *testing.T) {
	t.Parallel()
	kinds := stmtKinds()
	for name, s := range ir.StmtKinds() {
		var n int64
		fill(t, reflect.ValueOf(s).Elem(), &n)
		w := &codec{w: &packed.Writer{}, kinds: kinds}
		w.stmt(&s)
		require.NoError(t, w.err, name)
		r := &codec{r: packed.NewReader(w.w.Bytes())}
		var decoded ir.Stmt
		r.stmt(&decoded)
		require.NoError(t, r.r.Done(), name)
		assert.Equal(t, s, decoded)
	}
}

func TestAnUnknownStatementIsNotSaved(t *testing.T) {
	t.Parallel()
	for name, blocks := range map[string][]*ir.Block{
		"of another package": {{Stmts: []ir.Stmt{struct{ *ir.NopStmt }{&ir.NopStmt{}}}}},
		"without a block":    {{Stmts: []ir.Stmt{&ir.NotStmt{}}}},
		"without an operand": {{Stmts: []ir.Stmt{&ir.EqualStmt{}}}},
	} {
		c := &codec{w: &packed.Writer{}, kinds: stmtKinds()}
		c.blocks(&blocks)
		assert.Error(t, c.err, name)
	}
}

// A restored function keeps the analysis with which it was saved. That must be what an analysis of its
// blocks yields.
func TestTheAnalysisOfAFunctionIsSaved(t *testing.T) {
	var policy *ir.Policy
	rego.RegisterPlugin("regoir-analysis-test", planKeeper{&policy, "regoir-analysis-test"})
	_, err := rego.New(rego.Query("data.t"), rego.Module("t.rego", `package t
deep[x][y] := {"a": [x, y]} if { some x, y in input.pairs }
list := [z | some z in input.list; not z in {"a", "b"}]
word := "a" if input.a
word := "a" if input.b
flag if input.c
other := {"k": input.d} if input.d else := "none"
sized(x) := count(x) + 1
of := n if { n := sized(input.list) with input.list as [1] }
`), rego.Target("regoir-analysis-test")).PrepareForEval(t.Context())
	require.NoError(t, err)
	program, err := Compile(policy, Options{})
	require.NoError(t, err)
	encoded, err := program.Save()
	require.NoError(t, err)
	restored, err := Restore(encoded, Options{})
	require.NoError(t, err)
	covered := map[string]bool{}
	for i, f := range restored.functions {
		require.NoError(t, f.decodeBody())
		got, name := f.analysis, f.name
		f.analysis = nil
		want := f.analyze()
		assert.Equal(t, len(want.finalAssigns), len(got.finalAssigns), name)
		if len(got.finalAssigns) == 0 {
			want.finalAssigns, got.finalAssigns = nil, nil // an empty map and nil are the same here
		}
		assert.Equal(t, want, got, name)
		assert.Equal(t, program.functions[i].analyze().cheap, got.cheap, name)
		covered["makes"] = covered["makes"] || len(got.constructions.makes) > 0
		covered["adds"] = covered["adds"] || len(got.constructions.adds) > 0
		covered["finishes"] = covered["finishes"] || len(got.constructions.finishes) > 0
		covered["nested lookups"] = covered["nested lookups"] || len(got.constructions.nestedLookups) > 0
		covered["final assignments"] = covered["final assignments"] || len(got.finalAssigns) > 0
		covered["block-locals"] = covered["block-locals"] || len(got.blockLocal) > 0
		covered["a constant result"] = covered["a constant result"] || got.constantResult != nil
		covered["cheap"] = covered["cheap"] || got.cheap
		covered["not cheap"] = covered["not cheap"] || !got.cheap
	}
	for what, ok := range covered {
		assert.True(t, ok, "no function of this test covers: %s", what)
	}
}

// The analysis identifies a statement by its address.
func TestAStatementThatOccursTwiceIsNotSaved(t *testing.T) {
	t.Parallel()
	s := &ir.AssignIntStmt{Target: 2}
	f := &function{program: newProgram(Options{}), source: &ir.Func{Params: []ir.Local{ir.Input, ir.Data}, Return: 2, Blocks: []*ir.Block{{Stmts: []ir.Stmt{s, s}}}}}
	assert.ErrorContains(t, f.analyze().write(&packed.Writer{}, f.source.Blocks), "twice")
}
