package bundles

import (
	"cmp"
	"context"
	"slices"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

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

	queryProblems = "data.gavel.check.problems"
	queryUnknown  = "data.gavel.check.unknown_tools"
	queryWarnings = "data.gavel.check.warnings"
	queryNewer    = "data.gavel.check.newer_tools"
)

// compile creates a snapshot of a parsed policy. An error about the configuration comes with the
// snapshot.
func compile(ctx context.Context, cfg Config, p *policy) (*Snapshot, error) {
	if err := p.compile(cfg); err != nil {
		return nil, err
	}
	if !p.restored {
		cfg.Programs.keep(p.program)
	}
	return p.snapshot(ctx, cfg)
}

// snapshot creates a snapshot of a compiled policy. An error about the configuration comes with it.
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
	var wrong error
	if !p.proven || len(p.wrong) > 0 {
		wrong = s.check(ctx, p.wrong)
	}
	s.lists = newLists(p.document.Data, packsOf(p.base), cfg.Leads)
	if s.contexts, err = newContexts(p.document.Data); err == nil {
		s.answers, err = newAnswers()
	}
	if err != nil {
		return nil, cmp.Or(wrong, err)
	}
	return s, wrong
}

// prepare compiles the queries. A policy with its own root must define them. Those of a
// program that was prepared before are compiled when topdown is first needed.
func (s *Snapshot) prepare(ctx context.Context) error {
	s.queries.create = func() (map[string]rego.PreparedEvalQuery, error) { return s.prepared(context.WithoutCancel(ctx)) }
	if names := s.layerNames.Load(); names != nil {
		s.layers = *names
		return nil
	}
	if _, err := s.queries.get(); err != nil {
		return err
	}
	if !slices.Contains(s.defined, queryResult) {
		return problem(s.source, "the policy's own gavel root has no rule "+queryResult,
			"copy the shipped rego folder whole, or leave package gavel alone and use package custom")
	}
	if err := s.readLayers(ctx); err != nil {
		return err
	}
	s.layerNames.Store(&s.layers)
	return nil
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
	for _, query := range []string{queryResult, queryExplained, queryLayers, queryFrozen, queryAgent, queryRefused, queryTool, queryMask, querySearches, queryStanding, queryVerifiers, queryDirectives,
		queryProblems, queryUnknown, queryWarnings, queryNewer} {
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
