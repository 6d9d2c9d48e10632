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

// fill sets every member below v to something of its own.
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
		require.Fail(t, "not known", "%s", v.Type())
	}
}

func TestEveryMemberOfEveryStatementIsSaved(t *testing.T) {
	t.Parallel()
	kinds := stmtKinds()
	for name, s := range ir.StmtKinds() {
		var n int64
		fill(t, reflect.ValueOf(s).Elem(), &n)
		w := &codec{w: &packed.Writer{}, kinds: kinds}
		w.stmt(&s)
		require.NoError(t, w.err, name)
		r := &codec{r: packed.NewReader(w.w.Bytes())}
		var again ir.Stmt
		r.stmt(&again)
		require.NoError(t, r.r.Done(), name)
		assert.Equal(t, s, again)
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

// A function that was restored is translated by what was found out before it was saved.
func TestWhatIsFoundOutAboutAFunctionIsSaved(t *testing.T) {
	var policy *ir.Policy
	rego.RegisterPlugin("regoir-found-test", keeper{&policy, "regoir-found-test"})
	_, err := rego.New(rego.Query("data.t"), rego.Module("t.rego", `package t
deep[x][y] := {"a": [x, y]} if { some x, y in input.pairs }
list := [z | some z in input.list; not z in {"a", "b"}]
word := "a" if input.a
word := "a" if input.b
flag if input.c
other := {"k": input.d} if input.d else := "none"
sized(x) := count(x) + 1
of := n if { n := sized(input.list) with input.list as [1] }
`), rego.Target("regoir-found-test")).PrepareForEval(t.Context())
	require.NoError(t, err)
	program, err := Compile(policy, Options{})
	require.NoError(t, err)
	text, err := program.Save()
	require.NoError(t, err)
	again, err := Restore(text, Options{})
	require.NoError(t, err)
	some := map[string]bool{}
	for i, f := range again.functions {
		require.NoError(t, f.decodeBody())
		kept, name := f.analysis, f.name
		f.analysis = nil
		found := f.analyze()
		assert.Equal(t, len(found.finalAssigns), len(kept.finalAssigns), name)
		if len(kept.finalAssigns) == 0 {
			found.finalAssigns, kept.finalAssigns = nil, nil // none is none
		}
		assert.Equal(t, found, kept, name)
		assert.Equal(t, program.functions[i].analyze().cheap, kept.cheap, name)
		some["made"] = some["made"] || len(kept.constructions.makes) > 0
		some["part"] = some["part"] || len(kept.constructions.adds) > 0
		some["ends"] = some["ends"] || len(kept.constructions.finishes) > 0
		some["tree"] = some["tree"] || len(kept.constructions.nestedLookups) > 0
		some["direct"] = some["direct"] || len(kept.finalAssigns) > 0
		some["scoped"] = some["scoped"] || len(kept.blockLocal) > 0
		some["only"] = some["only"] || kept.constantResult != nil
		some["quick"] = some["quick"] || kept.cheap
		some["slow"] = some["slow"] || !kept.cheap
	}
	for what, met := range some {
		assert.True(t, met, "no function has %s", what)
	}
}

// A statement is known by where it stands in memory.
func TestAStatementThatStandsThereTwiceIsNotSaved(t *testing.T) {
	t.Parallel()
	s := &ir.AssignIntStmt{Target: 2}
	f := &function{program: newProgram(Options{}), source: &ir.Func{Params: []ir.Local{ir.Input, ir.Data}, Return: 2, Blocks: []*ir.Block{{Stmts: []ir.Stmt{s, s}}}}}
	assert.ErrorContains(t, f.analyze().write(&packed.Writer{}, f.source.Blocks), "twice")
}
