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
	"gavel/internal/regoir"
	"gavel/internal/rescue"
)

// planAfter is how many evaluations of one program make planning it pay: it takes as long as
// some dozens of them.
const planAfter = 64

// plans are a program's queries, compiled, and why some are not. It is part of a program: a
// new configuration only binds it to new data.
type plans struct {
	once     sync.Once
	asked    atomic.Int64
	ready    atomic.Bool
	programs map[string]*regoir.Program // by query
	left     []gavel.Uncompiled         // queries for topdown
}

// compiledQueries are the queries that decide, or check a configuration. The others explain.
func compiledQueries() []string {
	return []string{queryResult, queryFrozen, queryAgent, queryRefused, queryTool, queryMask, querySearches, queryStanding, queryVerifiers,
		queryDirectives, queryProblems, queryUnknown, queryWarnings, queryNewer}
}

// compiled returns what evaluates a query instead of topdown, nil for topdown.
func (s *Snapshot) compiled(query string) *regoir.Instance {
	if s.evaluator == Topdown {
		return nil
	}
	if !s.plans.ready.Load() {
		if s.plans.asked.Add(1) == planAfter {
			go s.Compile()
		}
		return nil
	}
	bound := s.bound.Load()
	if bound == nil {
		s.bound.CompareAndSwap(nil, s.bind())
		bound = s.bound.Load()
	}
	return (*bound)[query]
}

// bind gives the compiled queries this snapshot's data.
func (s *Snapshot) bind() *map[string]*regoir.Instance {
	made := map[*regoir.Program]*regoir.Instance{}
	bound := map[string]*regoir.Instance{}
	for query, program := range s.plans.programs {
		if made[program] == nil {
			made[program] = program.Bind(s.root)
		}
		bound[query] = made[program]
	}
	return &bound
}

// Compile compiles the policy now, which otherwise happens beside decisions, unless topdown is
// to evaluate it. Only the first call for a policy's Rego does something. Whatever goes wrong
// leaves queries to topdown.
func (s *Snapshot) Compile() {
	if s.evaluator == Topdown {
		return
	}
	s.plans.once.Do(func() {
		if err := rescue.Call(func() error { return s.plan() }); err != nil {
			s.plans.programs, s.plans.left = nil, nil
			for _, query := range compiledQueries() {
				s.plans.left = append(s.plans.left, gavel.Uncompiled{Query: query, Why: err.Error()})
			}
		}
		for _, left := range s.plans.left {
			s.logger.Warn("a query of the policy is not compiled; OPA's topdown evaluates it, which is slower",
				slog.String("query", left.Query), slog.String("why", left.Why))
		}
		s.plans.ready.Store(true)
	})
}

// letGo drops what only explanations, tests and the like need, if everything else is compiled: more
// than half of what is alive, through which the garbage collector would have to go again and again.
// It is made again for whoever needs it, and kept while it is used.
func (s *Snapshot) letGo() {
	if s.evaluator != Compiled && s.evaluator != "" || s.inline || !s.plans.ready.Load() || len(s.plans.left) > 0 {
		return
	}
	s.queries.release()
	s.parts.release()
}

// plan compiles all queries together, because they share most rules; if that fails, each.
func (p *program) plan() error {
	compiler, err := p.rules()
	if err != nil {
		return err
	}
	p.plans.make(compiler)
	return nil
}

func (p *plans) make(compiler *ast.Compiler) {
	defined := definedIn(compiler, compiledQueries())
	p.programs = map[string]*regoir.Program{}
	if why := regoir.PlannerDisagreement(compiler); why != "" {
		for _, query := range defined {
			p.left = append(p.left, gavel.Uncompiled{Query: query, Why: why})
		}
		return
	}
	if all, err := planned(compiler, defined...); err == nil {
		for _, query := range defined {
			p.programs[query] = all
		}
		return
	}
	for _, query := range defined {
		one, err := planned(compiler, query)
		if err != nil {
			p.left = append(p.left, gavel.Uncompiled{Query: query, Why: err.Error()})
			continue
		}
		p.programs[query] = one
	}
}

// definedIn are the queries for which there are rules.
func definedIn(compiler *ast.Compiler, queries []string) (defined []string) {
	for _, query := range queries {
		if len(compiler.GetRulesExact(ast.MustParseRef(query))) > 0 {
			defined = append(defined, query)
		}
	}
	return defined
}

// planned plans and compiles queries together.
func planned(compiler *ast.Compiler, queries ...string) (*regoir.Program, error) {
	kept, err := planFor(rego.Compiler(compiler), rego.Query("["+strings.Join(queries, ", ")+"]"))
	if err != nil {
		return nil, err
	}
	program, err := regoir.Compile(kept.policy, kept.options)
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

// planFor asks OPA for a plan. What its planner cannot do is an error; some of it panics.
func planFor(options ...func(*rego.Rego)) (*keptPlan, error) {
	kept := &keptPlan{}
	ctx := context.WithValue(context.Background(), planKey{}, kept)
	err := rescue.Call(func() error {
		_, err := rego.New(append(append(boundedFunctions(), rego.Target(planTarget)), options...)...).PrepareForEval(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errPlan, err)
	}
	return kept, nil
}

// planTarget is the name under which OPA hands over plans.
const planTarget = "gavel-plan"

// planKeeper keeps the plan that OPA hands to it in the context of whoever asked for it. It
// evaluates nothing.
type planKeeper struct{}

type planKey struct{}

type keptPlan struct {
	policy  *ir.Policy
	options regoir.Options
}

// OPA reads its table of targets without a lock, so it must be filled before anything is
// prepared.
func init() { rego.RegisterPlugin(planTarget, planKeeper{}) } //nolint:gochecknoinits // see above

// IsTarget implements rego.TargetPlugin.
func (planKeeper) IsTarget(name string) bool { return name == planTarget }

// PrepareForEval implements rego.TargetPlugin.
func (planKeeper) PrepareForEval(ctx context.Context, policy *ir.Policy, options ...rego.PrepareOption) (rego.TargetPluginEval, error) {
	kept, ok := ctx.Value(planKey{}).(*keptPlan)
	if !ok {
		return nil, fmt.Errorf("nobody asked for the plan")
	}
	var config rego.PrepareConfig
	for _, option := range options {
		option(&config)
	}
	kept.policy = policy
	kept.options = planOptions(config.BuiltinFuncs())
	return planKeeper{}, nil
}

// Eval implements rego.TargetPluginEval.
func (planKeeper) Eval(context.Context, *rego.EvalContext, ast.Value) (ast.Value, error) {
	return nil, fmt.Errorf("a plan is not evaluated here")
}

// planOptions are how plans are evaluated.
func planOptions(own map[string]*topdown.Builtin) regoir.Options {
	functions := map[string]*topdown.Builtin{ast.JSONMatchSchema.Name: matchSchema()}
	maps.Copy(functions, own)
	return regoir.Options{Strict: true, Builtins: functions}
}
