package regoir

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// selectingInstance returns an instance with a rule that selects packages by the names in input.list,
// and a function that makes its input. rules returns the rules of package n.
func selectingInstance(t *testing.T, rules func(n int) string) (i *Instance, input func(list *ast.Term) ast.Value) {
	t.Helper()
	var policy *ir.Policy
	target := "regoir-prefilter-test-" + t.Name()
	rego.RegisterPlugin(target, planKeeper{&policy, target})
	options := []func(*rego.Rego){rego.Query("data.t.p"), rego.Target(target), rego.Module("t", `package t
p contains value if {
	some name in input.list
	some value in raised(name)
}
raised(name) := data.custom[name].deny`)}
	for n := range 20 {
		options = append(options, rego.Module(fmt.Sprint(n), fmt.Sprintf("package custom.p%d\n%s", n, rules(n))))
	}
	_, err := rego.New(options...).PrepareForEval(t.Context())
	require.NoError(t, err)
	program, err := Compile(policy, Options{})
	require.NoError(t, err)
	return program.Bind(ast.NewObject()), func(list *ast.Term) ast.Value {
		return ast.NewObject([2]*ast.Term{ast.StringTerm("list"), list}, [2]*ast.Term{ast.StringTerm("tool"), ast.StringTerm("t7")})
	}
}

func nameList(n int) *ast.Term {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%q", fmt.Sprintf("p%d", i))
	}
	return ast.MustParseTerm("[" + strings.Join(list, ",") + "]")
}

// onlyPrefilter returns the last prefilter of the only scan that has one.
func (i *Instance) onlyPrefilter() (last *prefilter) {
	i.prefilters.Range(func(_, v any) bool {
		last = v.(*prefilterCache).last.Load() //nolint:forcetypeassert // the map has no other values
		return false
	})
	return last
}

func TestElementsWhoseRulesCannotApplyAreSkipped(t *testing.T) {
	i, input := selectingInstance(t, func(n int) string {
		switch n {
		case 3:
			return "deny contains 3 if input.tool\ndeny contains \"x\" if input.tool == \"t3\""
		case 4:
			return "ask contains 4"
		}
		return fmt.Sprintf("deny contains %d if input.tool == \"t%d\"", n, n)
	})
	value, err := i.Eval(t.Context(), input(nameList(20)))
	require.NoError(t, err)
	assert.Equal(t, "{3, 7}", value.String())
	built := i.onlyPrefilter()
	require.NotNil(t, built)
	assert.Len(t, built.elements, 19, "package 4 has no such rule")
	assert.Len(t, built.index.unguarded, 1, "package 3 also has a rule for every tool")
	assert.Len(t, built.index.lookup(ast.StringTerm("t7")), 1)
}

func TestPrefiltersAreBuiltForAFewListsOnly(t *testing.T) {
	i, input := selectingInstance(t, func(n int) string { return fmt.Sprintf("deny contains %d if input.tool == \"t%d\"", n, n) })
	var first *prefilter
	for range 2 * maxPrefilterBuilds {
		value, err := i.Eval(t.Context(), input(nameList(20)))
		require.NoError(t, err)
		assert.Equal(t, "{7}", value.String())
		if first == nil {
			first = i.onlyPrefilter()
		}
	}
	last := i.onlyPrefilter()
	assert.NotSame(t, first, last)
	list := nameList(20)
	_, err := i.Eval(t.Context(), input(list))
	require.NoError(t, err)
	assert.Same(t, last, i.onlyPrefilter())
	value, err := i.Eval(t.Context(), input(nameList(minPrefilterLen-1)))
	require.NoError(t, err)
	assert.Equal(t, "{7}", value.String())
}

func TestAnInterruptedEvaluationKeepsNoPrefilter(t *testing.T) {
	i, input := selectingInstance(t, func(n int) string { return fmt.Sprintf("deny contains %d if input.tool == \"t%d\"", n, n) })
	list := input(nameList(20))
	interrupted := func() {
		ctx, cancel := context.WithCancel(t.Context())
		m := i.acquire(ctx, list)
		cancel()
		_, e := m.invoke(i.program.rule("data.t.p"), m.scope.input, m.scope.data, nil)
		assert.Equal(t, failed, e)
		assert.Nil(t, i.onlyPrefilter())
	}
	interrupted()
	_, err := i.Eval(t.Context(), list)
	require.NoError(t, err)
	assert.NotNil(t, i.onlyPrefilter())
	i.prefilters.Clear()
	interrupted()
	interrupted()
	value, err := i.Eval(t.Context(), list)
	require.NoError(t, err)
	assert.Equal(t, "{7}", value.String())
	assert.Nil(t, i.onlyPrefilter(), "after two interrupted builds there is no third")
}
