package regoir_test

import (
	"context"
	"sync"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

// planner is a target plugin that stores the plan in the context's *plan.
type planner struct{}

type planKey struct{}

const target = "regoir-test"

var register = sync.OnceFunc(func() { rego.RegisterPlugin(target, planner{}) })

func (planner) IsTarget(name string) bool { return name == target }

func (planner) PrepareForEval(ctx context.Context, p *ir.Policy, options ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	var prepared rego.PrepareConfig
	for _, o := range options {
		o(&prepared)
	}
	plan, _ := ctx.Value(planKey{}).(*plan)
	plan.policy, plan.options.Builtins = p, prepared.BuiltinFuncs()
	return planner{}, nil
}

func (planner) Eval(context.Context, *rego.EvalContext, ast.Value) (ast.Value, error) {
	return nil, nil
}

type plan struct {
	policy  *ir.Policy
	options regoir.Options
}

// planOf plans a query.
func planOf(options ...func(*rego.Rego)) (*plan, error) {
	register()
	p := &plan{}
	ctx := context.WithValue(context.Background(), planKey{}, p)
	_, err := rego.New(append(options, rego.Target(target))...).PrepareForEval(ctx)
	return p, err
}

// bind compiles a query with a module, and binds the program to data.
func bind(t testing.TB, query, module, data string, options ...func(*rego.Rego)) *regoir.Instance {
	t.Helper()
	p, err := planOf(append(options, rego.Query(query), rego.Module("test.rego", module))...)
	require.NoError(t, err)
	p.options.Strict = true
	program, err := regoir.Compile(p.policy, p.options)
	require.NoError(t, err)
	return program.Bind(ast.MustParseTerm(data).Value)
}

// lazyValue returns an equal value with lazy objects and arrays.
func lazyValue(v ast.Value) ast.Value {
	if v == nil {
		return nil
	}
	return lazyTerm(ast.NewTerm(v)).Value
}

func lazyTerm(t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case ast.Object:
		o := &lazyView{object: v}
		for _, k := range v.Keys() {
			name, ok := k.Value.(ast.String)
			if !ok {
				return t
			}
			o.names = append(o.names, string(name))
		}
		return o.Init(regoir.NewShape(o.names...), o)
	case *ast.Array:
		var elements []*ast.Term
		v.Foreach(func(x *ast.Term) { elements = append(elements, lazyTerm(x)) })
		return regoir.NewLazyArray(elements)
	}
	return t
}

type lazyView struct {
	regoir.LazyObject
	object ast.Object
	names  []string
}

func (o *lazyView) Member(index int) *ast.Term {
	return lazyTerm(o.object.Get(ast.StringTerm(o.names[index])))
}
