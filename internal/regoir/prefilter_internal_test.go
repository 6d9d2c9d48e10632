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

// listing is an instance whose rule p goes through input.list, and how often each package was asked.
func listing(t *testing.T, rules func(n int) string) (i *Instance, input func(list *ast.Term) ast.Value) {
	t.Helper()
	var policy *ir.Policy
	target := "regoir-sieve-test-" + t.Name()
	rego.RegisterPlugin(target, keeper{&policy, target})
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

func names(n int) *ast.Term {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("%q", fmt.Sprintf("p%d", i))
	}
	return ast.MustParseTerm("[" + strings.Join(list, ",") + "]")
}

// kept is the last sieve of the only iteration that has one.
func (i *Instance) onlyPrefilter() (last *prefilter) {
	i.prefilters.Range(func(_, v any) bool {
		last = v.(*prefilterCache).last.Load() //nolint:forcetypeassert // nothing else is kept
		return false
	})
	return last
}

func TestMembersWhoseRulesCannotApplyArePassedOver(t *testing.T) {
	i, input := listing(t, func(n int) string {
		switch n {
		case 3:
			return "deny contains 3 if input.tool\ndeny contains \"x\" if input.tool == \"t3\""
		case 4:
			return "ask contains 4"
		}
		return fmt.Sprintf("deny contains %d if input.tool == \"t%d\"", n, n)
	})
	value, err := i.Eval(t.Context(), input(names(20)))
	require.NoError(t, err)
	assert.Equal(t, "{3, 7}", value.String())
	made := i.onlyPrefilter()
	require.NotNil(t, made)
	assert.Len(t, made.elements, 19, "package 4 has no such rule")
	assert.Len(t, made.index.unguarded, 1, "package 3 also has a rule for every tool")
	assert.Len(t, made.index.lookup(ast.StringTerm("t7")), 1)
}

func TestAListThatOthersChooseIsLookedAtAFewTimesOnly(t *testing.T) {
	i, input := listing(t, func(n int) string { return fmt.Sprintf("deny contains %d if input.tool == \"t%d\"", n, n) })
	var first *prefilter
	for range 2 * maxPrefilterBuilds {
		value, err := i.Eval(t.Context(), input(names(20)))
		require.NoError(t, err)
		assert.Equal(t, "{7}", value.String())
		if first == nil {
			first = i.onlyPrefilter()
		}
	}
	last := i.onlyPrefilter()
	assert.NotSame(t, first, last)
	list := names(20)
	_, err := i.Eval(t.Context(), input(list))
	require.NoError(t, err)
	assert.Same(t, last, i.onlyPrefilter())
	value, err := i.Eval(t.Context(), input(names(minPrefilterLen-1)))
	require.NoError(t, err)
	assert.Equal(t, "{7}", value.String())
}

func TestAnEndedEvaluationKeepsNoSieve(t *testing.T) {
	i, input := listing(t, func(n int) string { return fmt.Sprintf("deny contains %d if input.tool == \"t%d\"", n, n) })
	list := input(names(20))
	ended := func() {
		ctx, cancel := context.WithCancel(t.Context())
		m := i.acquire(ctx, list)
		cancel()
		_, e := m.invoke(i.program.rule("data.t.p"), m.scope.input, m.scope.data, nil)
		assert.Equal(t, failed, e)
		assert.Nil(t, i.onlyPrefilter())
	}
	ended()
	_, err := i.Eval(t.Context(), list)
	require.NoError(t, err)
	assert.NotNil(t, i.onlyPrefilter())
	i.prefilters.Clear()
	ended()
	ended()
	value, err := i.Eval(t.Context(), list)
	require.NoError(t, err)
	assert.Equal(t, "{7}", value.String())
	assert.Nil(t, i.onlyPrefilter(), "no evaluation had the time twice, so the next one must not need it")
}
