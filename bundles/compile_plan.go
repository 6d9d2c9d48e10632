package bundles

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"

	"gavel"
	"gavel/bundles/builtins"
	"gavel/internal/regoir"
	"gavel/internal/rescue"
)

// There are two steps of compilation. OPA's compiler checks and rewrites modules (compile_rego.go);
// topdown evaluates the result. Then OPA's planner turns queries into plans, and regoir translates
// the plans to Go. This file has the second step.

// compileAfter is how many evaluations by topdown start the compilation of plans, which takes as
// long as some dozens of them.
const compileAfter = 64

// compiledPlans are the compiled queries of one compiledRego. A new configuration only binds them
// to new data.
type compiledPlans struct {
	once        sync.Once
	evaluations atomic.Int64               // by topdown, before ready
	ready       atomic.Bool                // the fields below are final
	programs    map[string]*regoir.Program // by query
	uncompiled  []gavel.Uncompiled         // queries that topdown must evaluate
}

// compiledQueries returns the queries that decide a call, and those that check a configuration. The
// other queries only explain, and are left to topdown.
func compiledQueries() []string {
	return []string{queryResult, queryFrozen, queryAgentDeny, queryCallerRefused, queryToolDeny, queryMask, querySearches, queryApprovalTerms, queryVerifiers,
		queryDirectives, queryProblems, queryUnknownTools, queryWarnings, queryNewerTools}
}

// instance returns the compiled instance that evaluates a query. It returns nil if topdown has to.
func (s *Snapshot) instance(query string) *regoir.Instance {
	if s.evaluator == Topdown {
		return nil
	}
	if !s.plans.ready.Load() {
		if s.plans.evaluations.Add(1) == compileAfter {
			go s.Compile()
		}
		return nil
	}
	instances := s.instances.Load()
	if instances == nil {
		s.instances.CompareAndSwap(nil, s.bind())
		instances = s.instances.Load()
	}
	return (*instances)[query]
}

// bind binds the compiled queries to the data of the snapshot.
func (s *Snapshot) bind() *map[string]*regoir.Instance {
	byProgram := map[*regoir.Program]*regoir.Instance{}
	instances := map[string]*regoir.Instance{}
	for query, program := range s.plans.programs {
		if byProgram[program] == nil {
			byProgram[program] = program.Bind(s.data)
		}
		instances[query] = byProgram[program]
	}
	return &instances
}

// Compile compiles the plans of the policy now instead of in the background. It does nothing if the
// evaluator is Topdown, or if the plans of the same Rego are compiled already. If a query cannot be
// compiled, topdown evaluates it.
func (s *Snapshot) Compile() {
	if s.evaluator == Topdown {
		return
	}
	s.plans.once.Do(func() {
		if err := rescue.Call(func() error { return s.compilePlans() }); err != nil {
			s.plans.programs, s.plans.uncompiled = nil, nil
			for _, query := range compiledQueries() {
				s.plans.uncompiled = append(s.plans.uncompiled, gavel.Uncompiled{Query: query, Why: err.Error()})
			}
		}
		for _, left := range s.plans.uncompiled {
			s.logger.Warn("a query of the policy is not compiled; OPA's topdown evaluates it, which is slower",
				slog.String("query", left.Query), slog.String("why", left.Why))
		}
		s.plans.ready.Store(true)
	})
}

// releaseCompilation drops what only explanations, tests and the like need, if all queries are
// compiled. That is more than half of the live heap, which every garbage collection would have to
// scan. It is made again on demand (lazy).
func (s *Snapshot) releaseCompilation() {
	if s.evaluator != Compiled && s.evaluator != "" || s.inline || !s.plans.ready.Load() || len(s.plans.uncompiled) > 0 {
		return
	}
	s.prepared.release()
	s.compilation.release()
}

func (c *compiledRego) compilePlans() error {
	compiler, err := c.compiler()
	if err != nil {
		return err
	}
	c.plans.compile(compiler)
	return nil
}

// compile compiles all queries into one program, because they share most rules. If that fails, it
// compiles each by itself.
func (p *compiledPlans) compile(compiler *ast.Compiler) {
	defined := definedQueries(compiler, compiledQueries())
	p.programs = map[string]*regoir.Program{}
	if why := regoir.PlannerDisagreement(compiler); why != "" {
		for _, query := range defined {
			p.uncompiled = append(p.uncompiled, gavel.Uncompiled{Query: query, Why: why})
		}
		return
	}
	if all, err := compilePlan(compiler, defined...); err == nil {
		for _, query := range defined {
			p.programs[query] = all
		}
		return
	}
	for _, query := range defined {
		one, err := compilePlan(compiler, query)
		if err != nil {
			p.uncompiled = append(p.uncompiled, gavel.Uncompiled{Query: query, Why: err.Error()})
			continue
		}
		p.programs[query] = one
	}
}

// definedQueries returns the queries for which there are rules.
func definedQueries(compiler *ast.Compiler, queries []string) (defined []string) {
	for _, query := range queries {
		if hasRule(compiler, query) {
			defined = append(defined, query)
		}
	}
	return defined
}

// compilePlan plans queries together, and compiles the plan.
func compilePlan(compiler *ast.Compiler, queries ...string) (*regoir.Program, error) {
	plan, err := makePlan(rego.Compiler(compiler), rego.Query("["+strings.Join(queries, ", ")+"]"))
	if err != nil {
		return nil, err
	}
	program, err := regoir.Compile(plan.policy, plan.options)
	if err != nil {
		return nil, fmt.Errorf("compile the plan: %w", err)
	}
	for _, query := range queries {
		if !program.HasRule(query) {
			return nil, fmt.Errorf("the plan has no rule %s", query)
		}
	}
	return program, nil
}

// errPlan means that OPA's planner did not make a plan.
var errPlan = errors.New("OPA made no plan")

// makePlan asks OPA for a plan. OPA's planner panics about some policies; that is an error.
func makePlan(options ...func(*rego.Rego)) (*capturedPlan, error) {
	plan := &capturedPlan{}
	ctx := context.WithValue(context.Background(), capturedPlanKey{}, plan)
	err := rescue.Call(func() error {
		_, err := rego.New(append(append(builtins.Bounded(), rego.Target(planTargetName)), options...)...).PrepareForEval(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPlan, err)
	}
	return plan, nil
}

// planTargetName is the name of planTarget for OPA.
const planTargetName = "gavel-plan"

// planTarget is an evaluation target for OPA, because OPA passes plans only to targets. It stores
// the plan in the capturedPlan of the context, and evaluates nothing.
type planTarget struct{}

// capturedPlanKey is the key of a *capturedPlan in a context.
type capturedPlanKey struct{}

type capturedPlan struct {
	policy  *ir.Policy
	options regoir.Options
}

// OPA reads its table of targets without a lock, so the table must be complete before anything is
// prepared.
func init() { rego.RegisterPlugin(planTargetName, planTarget{}) } //nolint:gochecknoinits // see above

// IsTarget implements rego.TargetPlugin.
func (planTarget) IsTarget(name string) bool { return name == planTargetName }

// PrepareForEval implements rego.TargetPlugin.
func (planTarget) PrepareForEval(ctx context.Context, policy *ir.Policy, options ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	plan, ok := ctx.Value(capturedPlanKey{}).(*capturedPlan)
	if !ok {
		return nil, errors.New("the context has no place for the plan")
	}
	var config rego.PrepareConfig
	for _, option := range options {
		option(&config)
	}
	plan.policy = policy
	plan.options = regoirOptions(config.BuiltinFuncs())
	return planTarget{}, nil
}

// Eval implements rego.TargetPluginEval.
func (planTarget) Eval(context.Context, *rego.EvalContext, ast.Value) (ast.Value, error) {
	return nil, errors.New("this target evaluates nothing")
}

// regoirOptions returns how plans are evaluated. bounded are the functions of package builtins.
func regoirOptions(bounded map[string]*topdown.Builtin) regoir.Options {
	functions := map[string]*topdown.Builtin{ast.JSONMatchSchema.Name: matchSchema()}
	maps.Copy(functions, bounded)
	return regoir.Options{Strict: true, Builtins: functions}
}
