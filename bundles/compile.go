package bundles

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/tester"

	"gavel"
	"gavel/internal/nearest"
	"gavel/internal/secrets"
)

// The queries of a snapshot, prepared once.
const (
	queryResult    = "data.gavel.decision.result"
	queryVerdicts  = "data.gavel.decision.verdicts"
	queryLayers    = "[layer.name | some layer in data.gavel.decision.layers.table]"
	queryExplained = "[" + queryResult + ", " + queryVerdicts + "]"
	queryFrozen    = "data.gavel.frozen.fresh"
	queryAgent     = "data.gavel.agent.deny"
	queryTool      = "data.gavel.tools.deny"
	queryRefused   = "data.gavel.agent.caller.refused"
	queryMask      = "data.system.log.mask"
	querySearches  = "data.gavel.exec.search.table"
	queryStanding  = "data.gavel.approvals.terms.standing"
	queryVerifiers = "data.gavel.verifier.settings.everything"

	queryDirectives = "data.gavel.directives.result"
)

// compile creates a snapshot of a parsed policy.
func compile(ctx context.Context, cfg Config, p *policy) (*Snapshot, error) {
	if err := p.program.compile(cfg, p.proven); err != nil {
		return nil, err
	}
	if !p.restored {
		cfg.Programs.keep(p.program)
	}
	return p.snapshot(ctx, cfg)
}

// snapshot creates a snapshot of a compiled policy.
func (p *policy) snapshot(ctx context.Context, cfg Config) (*Snapshot, error) {
	root, err := p.with(p.document, cfg.Overrides)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{
		program:   p.program,
		revision:  p.revision,
		document:  p.document,
		text:      p.text,
		store:     inmem.NewFromASTObject(root),
		root:      root,
		logger:    cfg.logger(),
		evaluator: cfg.Evaluator,
		forgets:   cfg.Forgets,
		source:    cfg.source(),
		leads:     cfg.Leads,
		verify:    cfg.Verify,
		overrides: cfg.Overrides,
		masker:    secrets.New(),
		proofs:    cfg.Proofs,
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.readSearches(ctx); err != nil {
		return nil, err
	}
	if err := s.readZone(); err != nil {
		return nil, err
	}
	if !p.proven || len(p.wrong) > 0 {
		if err := s.check(ctx, p.wrong); err != nil {
			return nil, err
		}
	}
	s.lists = newLists(p.document.Data, packsOf(p.base), cfg.Leads)
	if s.contexts, err = newContexts(p.document.Data); err != nil {
		return nil, err
	}
	s.answers, err = newAnswers()
	return s, err
}

// prepare compiles the queries. A policy with its own root must define them. Those of a
// restored program are compiled when topdown is first needed.
func (s *Snapshot) prepare(ctx context.Context) error {
	s.queries = sync.OnceValues(func() (map[string]rego.PreparedEvalQuery, error) { return s.prepared(context.WithoutCancel(ctx)) })
	if s.restored {
		s.layers = s.layerNames
		return nil
	}
	if _, err := s.queries(); err != nil {
		return err
	}
	if len(s.compiler.GetRulesExact(ast.MustParseRef(queryResult))) == 0 {
		return problem(s.source, "the policy's own gavel root has no rule "+queryResult,
			"copy the shipped rego folder whole, or leave package gavel alone and use package custom")
	}
	return s.readLayers(ctx)
}

// prepared are the queries for topdown.
func (s *Snapshot) prepared(ctx context.Context) (map[string]rego.PreparedEvalQuery, error) {
	compiler, err := s.rules()
	if err != nil {
		return nil, err
	}
	queries := map[string]rego.PreparedEvalQuery{}
	options := append(boundedFunctions(), rego.Compiler(compiler), rego.Store(s.store),
		rego.Strict(true), rego.StrictBuiltinErrors(true), rego.GenerateJSON(asTerm))
	for _, query := range []string{queryResult, queryExplained, queryLayers, queryFrozen, queryAgent, queryRefused, queryTool, queryMask, querySearches, queryStanding, queryVerifiers, queryDirectives} {
		prepared, err := rego.New(append(options, rego.Query(query))...).PrepareForEval(ctx)
		if err != nil {
			return nil, internal("prepare "+query, err)
		}
		queries[query] = prepared
	}
	return queries, nil
}

// readLayers asks the policy for its layers, in order. A policy's own root may have none.
func (s *Snapshot) readLayers(ctx context.Context) error {
	names, err := s.walk(ctx, queryLayers, ast.NewObject())
	if err != nil {
		return err
	}
	return each(names, func(name *ast.Term) {
		if text, ok := name.Value.(ast.String); ok {
			s.layers = append(s.layers, string(text))
		}
	})
}

// asTerm keeps a result as a term, without a round trip through JSON types.
func asTerm(term *ast.Term, _ *rego.EvalContext) (any, error) { return term, nil }

// finding is one element of data.gavel.check.problems, unknown_tools or warnings.
type finding struct {
	Path       string   `json:"path"`
	Message    string   `json:"message"`
	Value      string   `json:"value"`
	Candidates []string `json:"candidates"`
	Fix        string   `json:"fix"`
}

// check evaluates the rules about the configuration, and adds their findings to the schema's
// objections.
func (s *Snapshot) check(ctx context.Context, wrong []gavel.Problem) error {
	bySchema := len(wrong) > 0
	found, err := s.findings(ctx, "problems")
	if err != nil && bySchema { // the rules count on the shape that the schema demands
		sortProblems(wrong)
		return problems(wrong)
	}
	if err != nil {
		return err
	}
	for _, f := range found {
		if f.Path != "" || !bySchema { // stock OPA's report of the schema's objections
			wrong = append(wrong, s.problemAt(f, f.Message))
		}
	}
	unknown, err := s.findings(ctx, "unknown_tools")
	if err != nil {
		return err
	}
	for _, f := range unknown {
		if nearest.Mistakable(f.Value, f.Candidates) != "" {
			f.Fix = "correct the name; to name a plugin's tool, end the name with *"
			wrong = append(wrong, s.problemAt(f, fmt.Sprintf("unknown tool %q", f.Value)))
			continue
		}
		f.Fix = "nothing, if a plugin provides it; a list with only such entries is dropped when the plugins are loaded (R6)"
		s.notes.Warnings = append(s.notes.Warnings, s.problemAt(f, fmt.Sprintf("%q is not a core tool: it matches only plugin tools", f.Value)))
	}
	warnings, err := s.findings(ctx, "warnings")
	if err != nil {
		return err
	}
	for _, f := range warnings {
		s.notes.Warnings = append(s.notes.Warnings, s.problemAt(f, f.Message))
	}
	newer, err := s.findings(ctx, "newer_tools")
	if err != nil {
		return err
	}
	s.notes.Edition, _ = at(s.document.Data, "tools", "catalog").(string)
	s.notes.Newer = slices.Clone(s.document.Newer)
	for _, f := range newer {
		s.notes.Newer = append(s.notes.Newer, f.Path)
	}
	slices.Sort(s.notes.Newer)
	s.notes.Warnings = append(s.notes.Warnings, s.unread...)
	s.notes.PassedOver = s.document.PassedOver
	sortProblems(wrong)
	sortProblems(s.notes.Warnings)
	return problems(wrong)
}

func (s *Snapshot) findings(ctx context.Context, rule string) ([]finding, error) {
	query := "data.gavel.check." + rule
	compiler, err := s.rules()
	if err != nil {
		return nil, err
	}
	if len(compiler.GetRulesExact(ast.MustParseRef(query))) == 0 {
		return nil, nil // optional for a policy's own root
	}
	results, err := rego.New(append(boundedFunctions(), rego.Query(query), rego.Compiler(compiler), rego.Store(s.store),
		rego.StrictBuiltinErrors(true))...).Eval(ctx)
	if err != nil {
		return nil, internal("evaluate "+query, err)
	}
	if len(results) == 0 || len(results[0].Expressions) == 0 {
		return nil, fmt.Errorf("evaluate %s: undefined", query)
	}
	text, err := json.Marshal(results[0].Expressions[0].Value)
	if err != nil {
		return nil, internal("read "+query, err)
	}
	var found []finding
	if err := json.Unmarshal(text, &found); err != nil {
		return nil, internal("read "+query, err)
	}
	return found, nil
}

// problemAt adds the location in the configuration to a finding.
func (s *Snapshot) problemAt(f finding, message string) gavel.Problem {
	p := gavel.Problem{Path: f.Path, File: s.document.File, Message: message, Fix: f.Fix}
	p.Line, p.Column, _ = s.document.Locate(f.Path)
	p.Nearest = nearest.Name(f.Value, f.Candidates)
	return p
}

func sortProblems(list []gavel.Problem) {
	slices.SortStableFunc(list, func(a, b gavel.Problem) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return strings.Compare(a.Path+a.Message, b.Path+b.Message)
	})
}

// selfTest runs the policy's own tests. A policy whose tests fail is not used.
func (s *Snapshot) selfTest(ctx context.Context, p *policy) error {
	if len(p.tests) == 0 {
		return nil
	}
	results, err := runTests(ctx, p, nil)
	if err != nil {
		return err
	}
	var failed []gavel.Problem
	for _, result := range results {
		if !result.Pass() {
			failed = append(failed, testProblem(result))
		}
	}
	sortProblems(failed)
	return problems(failed)
}

// runTests runs the policy's tests, each with a deadline.
func runTests(ctx context.Context, p *policy, prepare func(*tester.Runner)) ([]*tester.Result, error) {
	modules := maps.Clone(p.modules)
	maps.Copy(modules, p.tests)
	data := maps.Clone(p.data)
	data["config"] = map[string]any(p.document.Data)
	store := inmem.NewFromObject(data)
	runner := tester.NewRunner().SetStore(store).SetModules(modules).SetParallel(1).SetCompiler(orderly()).RaiseBuiltinErrors(true)
	if prepare != nil {
		prepare(runner)
	}
	txn, err := store.NewTransaction(ctx)
	if err != nil {
		return nil, internal("run the policy's tests", err)
	}
	defer store.Abort(ctx, txn)
	running, err := runner.RunTests(ctx, txn)
	if err != nil { // OPA says where a recursion is
		running, err = runner.SetCompiler(ast.NewCompiler().WithCapabilities(capabilities())).RunTests(ctx, txn)
	}
	if err != nil {
		return nil, problems(opaProblems(err))
	}
	var results []*tester.Result
	for result := range running {
		results = append(results, result)
	}
	return results, nil
}

// orderly returns a compiler that only says whether there is a recursion, not where. OPA looks for it
// from each rule, which takes a third of compiling a policy with its tests.
func orderly() *ast.Compiler {
	return ast.NewCompiler().WithCapabilities(capabilities()).WithSkipStages(ast.StageCheckRecursion).
		WithStageAfterID(ast.StageSetGraph, ast.CompilerStageDefinition{Name: "CheckOrder", MetricName: "check_order",
			Stage: func(compiler *ast.Compiler) *ast.Error {
				if _, ordered := compiler.Graph.Sort(); !ordered {
					return ast.NewError(ast.RecursionErr, nil, "rules refer to themselves")
				}
				return nil
			}})
}

func testProblem(result *tester.Result) gavel.Problem {
	p := gavel.Problem{Message: fmt.Sprintf("test %s.%s fails", result.Package, result.Name), Fix: "run gavel test for details"}
	if result.Error != nil {
		p.Message = fmt.Sprintf("test %s.%s cannot run: %s", result.Package, result.Name, result.Error)
	}
	if result.Location != nil {
		p.File, p.Line, p.Column = strings.TrimPrefix(result.Location.File, "/"), result.Location.Row, result.Location.Col
	}
	return p
}
