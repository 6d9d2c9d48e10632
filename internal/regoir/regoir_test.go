package regoir_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

// countdownContext is a context that ends after it was checked a number of times.
type countdownContext struct {
	context.Context
	remaining atomic.Int64
}

func (c *countdownContext) Err() error {
	if c.remaining.Add(-1) < 0 {
		return context.Canceled
	}
	return nil
}

func TestAnEvaluationStopsWhereverItIs(t *testing.T) {
	for _, c := range []struct{ name, module string }{
		{"in an iteration", `p if { some x in data.l; some y in data.l; some z in data.l; x + y + z == -1 }`},
		{"in a comprehension", `p := count({[x, y, z] | some x in data.l; some y in data.l; some z in data.l})`},
		{"in a negation", `p if not _found` + "\n" + `_found if { some x in data.l; some y in data.l; some z in data.l; x + y + z == -1 }`},
		{"in every", `p if { every x in data.l { every y in data.l { every z in data.l { x + y + z >= 0 } } } }`},
		{"in functions that call functions", callTree(40)},
		{"in replacements", `p if { some x in data.l; some y in data.l; some z in data.l; q with input as [x, y, z] }` + "\nq if input[0] == -1"},
		{"in a built-in function", `p := count(numbers.range(0, 100000000))`},
	} {
		t.Run(c.name, func(t *testing.T) {
			list := make([]string, 1000)
			for i := range list {
				list[i] = fmt.Sprint(i)
			}
			instance := bind(t, "data.t.p", "package t\n"+c.module, `{"l": [`+strings.Join(list, ",")+`]}`)
			ctx := &countdownContext{Context: context.Background()}
			ctx.remaining.Store(20)
			_, err := instance.Eval(ctx, nil)
			assert.True(t, topdown.IsCancel(err), "%v", err)
			assert.ErrorIs(t, err, context.Canceled)
		})
	}
}

// callTree writes a function that calls another one twice, with different arguments, and so on n times.
func callTree(n int) string {
	var b strings.Builder
	b.WriteString("p := f0(1)\n")
	for i := range n {
		fmt.Fprintf(&b, "f%d(x) := f%d(x * 2) + f%d((x * 2) + 1)\n", i, i+1, i+1)
	}
	fmt.Fprintf(&b, "f%d(x) := x\n", n)
	return b.String()
}

func TestAnEndedContextEvaluatesNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := bind(t, "data.t.p", "package t\np := 1", "{}").EvalRule(ctx, "data.t.p", nil)
	assert.True(t, topdown.IsCancel(err), "%v", err)
}

func TestErrorsHaveALocation(t *testing.T) {
	for _, c := range []struct{ module, want string }{
		{"p := to_number(input.x)", "test.rego:3: eval_builtin_error: to_number: strconv.ParseFloat: parsing \"z\": invalid syntax"},
		{"p := 1 if input.x\np := 2 if input.x", "test.rego:4: eval_conflict_error: rule data.t.p produced conflicting values"},
		{"p := f(1)\nf(x) := x if input.x\nf(x) := 3 if input.x", "test.rego:5: eval_conflict_error: function data.t.f produced conflicting values for the same inputs"},
		{"p := {k: v | some v in [1, 2]; k := input.x}", "test.rego:3: eval_conflict_error: object keys must be unique"},
		{"p[input.x] := 1 if true\np[input.x] := 2 if true", "test.rego:4: eval_conflict_error: object keys must be unique"},
	} {
		_, err := bind(t, "data.t.p", "package t\n\n"+c.module, "{}").Eval(context.Background(), ast.MustParseTerm(`{"x": "z"}`).Value)
		assert.EqualError(t, err, c.want)
	}
}

// countingBuiltin is a built-in function that counts its calls.
func countingBuiltin(n *atomic.Int64, nondeterministic bool) func(*rego.Rego) {
	decl := &rego.Function{Name: "test.called", Decl: types.NewFunction(types.Args(types.A), types.A), Nondeterministic: nondeterministic}
	return rego.Function1(decl, func(_ rego.BuiltinContext, a *ast.Term) (*ast.Term, error) {
		n.Add(1)
		return a, nil
	})
}

func TestDataOnlyRulesAreEvaluatedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		module           string
		nondeterministic bool
		want             int64
	}{
		"data only":                   {"p := [q, input.x]\nq := test.called(data.a)", false, 1},
		"input, too":                  {"p := [q, input.x]\nq := test.called([data.a, input.x])", false, 3},
		"input through another rule":  {"p := [q, input.x]\nq := test.called(r)\nr := input.x", false, 3},
		"a function that may differ":  {"p := [q, input.x]\nq := test.called(data.a)", true, 3},
		"called by two rules, once":   {"p := [q, r, q]\nq := test.called(input.x)\nr := q", false, 3},
		"a function with equal terms": {"p := [f([input.x]), f([input.x])]\nf(x) := test.called(x)", false, 3},
		"data that with replaces":     {"p := v if v := [q, input.x] with data.a as input.x\nq := test.called(data.a)", false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			var n atomic.Int64
			instance := bind(t, "data.t.p", "package t\n"+c.module, `{"a": 1}`, countingBuiltin(&n, c.nondeterministic))
			for i := range 3 {
				_, err := instance.Eval(context.Background(), ast.MustParseTerm(fmt.Sprintf(`{"x": %d}`, i)).Value)
				require.NoError(t, err)
			}
			assert.Equal(t, c.want, n.Load())
		})
	}
}

func TestAnInstanceEvaluatesInputsConcurrently(t *testing.T) {
	instance := bind(t, "data.t", `package t
s contains x if some x in data.l
s contains input.n if true
o[k][input.n] := v if some k, v in data.o
c := {x | some x in data.l} | {"z"}
e := "big" if { input.n > 50 } else := "small"
l := [[x, input.n] | some x in {3, 2, 1}]
w := v if v := s with input.n as 7`, `{"l": [2, 1], "o": {"a": {"b": 1}, "c": 2}}`)
	want := make([]*ast.Term, 100)
	for i := range want {
		got, err := instance.Eval(context.Background(), ast.MustParseTerm(fmt.Sprintf(`{"n": %d}`, i)).Value)
		require.NoError(t, err)
		want[i] = ast.MustParseTerm(got.String()) // shares no memory with the instance
	}
	assert.Equal(t, `{"c": {1, 2, "z"}, "e": "big", "l": [[1, 60], [2, 60], [3, 60]], "o": {"a": {60: {"b": 1}}, "c": {60: 2}}, "s": {1, 2, 60}, "w": {1, 2, 7}}`, want[60].String())
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for i := range want {
				got, err := instance.Eval(context.Background(), ast.MustParseTerm(fmt.Sprintf(`{"n": %d}`, i)).Value)
				if assert.NoError(t, err) {
					assert.Zero(t, want[i].Value.Compare(got.Value), "%v, want %v", got, want[i])
				}
			}
		})
	}
	group.Wait()
}

// Twice as many elements may take somewhat more than twice the memory, but not four times as much.
func TestCollectionsAreBuiltInLinearTime(t *testing.T) {
	for _, rule := range []string{"p := [x | some x in input]", "p := {x | some x in input}", "p contains x if some x in input",
		"p := {x: 1 | some x in input}", "p[x] := 1 if some x in input", "p[x].a contains 1 if some x in input"} {
		instance := bind(t, "data.t.p", "package t\n"+rule, "{}")
		cost := func(n int) uint64 {
			terms := make([]*ast.Term, n)
			for i := range terms {
				terms[i] = ast.StringTerm(fmt.Sprint(i))
			}
			input := ast.NewArray(terms...)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := instance.Eval(context.Background(), input)
			require.NoError(t, err)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		cost(10)
		assert.Less(t, cost(8000), 3*cost(4000), rule)
	}
}

func TestAPlanWithUnknownPartsIsRefused(t *testing.T) {
	p, err := planOf(rego.Query("data.t.p"), rego.Module("t.rego", "package t\np if { some x in input; upper(x) == x }"))
	require.NoError(t, err)
	for name, change := range map[string]func(*ir.Policy){
		"no plan":              func(p *ir.Policy) { p.Plans = nil },
		"an unknown function":  func(p *ir.Policy) { renameCalls(p) },
		"an unknown statement": func(p *ir.Policy) { prepend(p, &unknown{}) },
		"a break out of a function": func(p *ir.Policy) {
			prepend(p, &ir.BreakStmt{Index: 1})
		},
		"a break out of an iteration": func(p *ir.Policy) {
			prepend(p, &ir.BlockStmt{Blocks: []*ir.Block{{Stmts: []ir.Stmt{&ir.ScanStmt{Source: 1, Key: 2, Value: 3, Block: &ir.Block{Stmts: []ir.Stmt{&ir.BreakStmt{Index: 1}}}}}}}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			fresh, err := planOf(rego.Query("data.t.p"), rego.Module("t.rego", "package t\np if { some x in input; upper(x) == x }"))
			require.NoError(t, err)
			change(fresh.policy)
			_, err = regoir.Compile(fresh.policy, fresh.options)
			var unsupported *regoir.UnsupportedError
			assert.True(t, errors.As(err, &unsupported), "%v", err)
		})
	}
	_, err = regoir.Compile(p.policy, p.options)
	assert.NoError(t, err)
}

// The planner treats functions as members of their package where a reference selects one by a variable.
// They must be undefined, as in topdown.
func TestFunctionsAreNotMembersOfAPackage(t *testing.T) {
	modules := []func(*rego.Rego){
		rego.Module("a.rego", "package c.a\n_f(x) := x\ndeny contains y if y := _f(input.x)\ndefault g(_) := 7\ng(x) := 8 if x == 1"),
		rego.Module("b.rego", "package c.a.b\nask contains \"b\" if true\nh(x, y) := [x, y]"),
	}
	for _, query := range []string{"{[k, l] | data.c[k][l]}", "{[k, l, m] | data.c[k][l][m]}", "{[k, l] | data.c[k][l].ask}", "{k | data.c[k].deny}", "{[k, v] | v := data.c.a[k]}", "data.c",
		"{v | v := data.c.a[input.name]}", "{v | v := data.c[input.other][input.name]}"} {
		for _, name := range []string{"_f", "deny", "g", "b", "none"} {
			input := ast.MustParseTerm(fmt.Sprintf(`{"x": 1, "name": %q, "other": "a"}`, name)).Value
			results, err := rego.New(append(modules, rego.Query("x := "+query), rego.ParsedInput(input))...).Eval(context.Background())
			require.NoError(t, err, query)
			p, err := planOf(append(modules, rego.Query(query))...)
			require.NoError(t, err, query)
			program, err := regoir.Compile(p.policy, p.options)
			require.NoError(t, err, query)
			got, err := program.Bind(ast.NewObject()).Eval(context.Background(), input)
			require.NoError(t, err, query)
			value, err := ast.JSON(got.Value)
			require.NoError(t, err, query)
			assert.Equal(t, results[0].Bindings["x"], value, "%s with %s", query, name)
		}
	}
}

type unknown struct{ ir.NopStmt }

func prepend(p *ir.Policy, s ir.Stmt) {
	b := p.Funcs.Funcs[0].Blocks[0]
	b.Stmts = append([]ir.Stmt{s}, b.Stmts...)
}

func renameCalls(p *ir.Policy) {
	_ = ir.Walk(renamer{}, p)
}

type renamer struct{}

func (renamer) Before(any) {}
func (renamer) After(any)  {}
func (r renamer) Visit(x any) (ir.Visitor, error) {
	if call, ok := x.(*ir.CallStmt); ok && call.Func == "upper" {
		call.Func = "upside.down"
	}
	return r, nil
}

func TestARuleOutsideThePlanIsAnError(t *testing.T) {
	_, err := bind(t, "data.t.p", "package t\np := 1\nq := 2", "{}").EvalRule(context.Background(), "data.t.q", nil)
	assert.ErrorIs(t, err, regoir.ErrNoRule)
}

func TestAReferenceToAllRulesOfAPackageLeavesItsFunctionsOut(t *testing.T) {
	const module = "package t\n\nm := {[a, b] | data.t.in[a][b].deny} | {[a, b] | data.t.in[a][b]}\n\nall := data.t.in\n"
	const below = "package t.in.x\n\n_twice(x) := x * 2\n\n_pair(x, y) := {\"deny\": [x, y]}\n\ndeny contains _twice(2)\n\no := _pair(1, 2)\n"
	compiler, err := ast.CompileModules(map[string]string{"t.rego": module, "x.rego": below})
	require.NoError(t, err)
	for _, query := range []string{"data.t.m", "data.t.all"} {
		want, err := rego.New(rego.Compiler(compiler), rego.Query(query)).Eval(t.Context())
		require.NoError(t, err)
		p, err := planOf(rego.Compiler(compiler), rego.Query(query))
		require.NoError(t, err)
		program, err := regoir.Compile(p.policy, p.options)
		require.NoError(t, err)
		value, err := program.Bind(ast.NewObject()).Eval(t.Context(), nil)
		require.NoError(t, err)
		require.NotNil(t, value, query)
		assert.Zero(t, ast.MustInterfaceToValue(want[0].Expressions[0].Value).Compare(ast.MustInterfaceToValue(ast.MustJSON(value.Value))), "%s: %v", query, value)
		assert.NotEqual(t, "[]", value.String())
	}
}
