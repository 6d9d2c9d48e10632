package regoir

import (
	"context"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
)

// planKeeper is a target plugin that stores the plan.
type planKeeper struct {
	policy **ir.Policy
	name   string
}

func (k planKeeper) IsTarget(name string) bool { return name == k.name }
func (k planKeeper) PrepareForEval(_ context.Context, p *ir.Policy, _ ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	*k.policy = p
	return k, nil
}
func (planKeeper) Eval(context.Context, *rego.EvalContext, ast.Value) (ast.Value, error) {
	return nil, nil
}
