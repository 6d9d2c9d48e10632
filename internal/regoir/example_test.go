package regoir_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel/internal/regoir"
)

// planTarget is a target plugin of package rego. OPA hands it the plan of a query that is prepared for
// this target.
type planTarget struct {
	plan     *ir.Policy
	builtins map[string]*topdown.Builtin
}

func (t *planTarget) IsTarget(name string) bool { return name == "example" }

func (t *planTarget) PrepareForEval(_ context.Context, plan *ir.Policy, options ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	var config rego.PrepareConfig
	for _, option := range options {
		option(&config)
	}
	t.plan, t.builtins = plan, config.BuiltinFuncs()
	return t, nil
}

func (t *planTarget) Eval(context.Context, *rego.EvalContext, ast.Value) (ast.Value, error) {
	return nil, errors.New("this target only provides the plan")
}

const exampleModule = `package example

default allow := false

allow if input.user in data.admins
`

func Example() {
	ctx := context.Background()

	// Register the plugin before anything else uses package rego: it does not lock its table of plugins.
	target := &planTarget{}
	rego.RegisterPlugin("example", target)

	// Let OPA compile and plan the policy.
	query := rego.New(rego.Query("data.example.allow"), rego.Module("example.rego", exampleModule), rego.Target("example"))
	if _, err := query.PrepareForEval(ctx); err != nil {
		log.Fatal(err)
	}

	// Compile the plan once, bind it to each version of the data, and evaluate inputs.
	program, err := regoir.Compile(target.plan, regoir.Options{Strict: true, Builtins: target.builtins})
	if err != nil {
		log.Fatal(err)
	}
	instance := program.Bind(ast.MustParseTerm(`{"admins": ["alice"]}`).Value)
	for _, user := range []string{"alice", "bob"} {
		input := ast.NewObject(ast.Item(ast.StringTerm("user"), ast.StringTerm(user)))
		value, err := instance.EvalRule(ctx, "data.example.allow", input)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(user, value)
	}

	// Output:
	// alice true
	// bob false
}
