package bundles

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"

	"gavel"
	"gavel/bundles/builtins"
	"gavel/bundles/config"
	"gavel/bundles/ruleindex"
	"gavel/internal/regoir"
	"gavel/internal/secrets"
)

// The queries of a snapshot. Each is prepared once.
const (
	queryResult        = "data.gavel.decision.result"
	queryVerdicts      = "data.gavel.decision.verdicts"
	queryLayers        = "[layer.name | some layer in data.gavel.decision.layers.table]"
	queryExplained     = "[" + queryResult + ", " + queryVerdicts + "]"
	queryFrozen        = "data.gavel.frozen.fresh"
	queryAgentDeny     = "data.gavel.agent.deny"
	queryToolDeny      = "data.gavel.tools.deny"
	queryCallerRefused = "data.gavel.agent.caller.refused"
	queryMask          = "data.system.log.mask"
	querySearches      = "data.gavel.exec.search.table"
	queryApprovalTerms = "data.gavel.approvals.terms.standing"
	queryVerifiers     = "data.gavel.verifier.settings.everything"
	queryDirectives    = "data.gavel.directives.result"

	queryProblems     = "data.gavel.check.problems"
	queryUnknownTools = "data.gavel.check.unknown_tools"
	queryWarnings     = "data.gavel.check.warnings"
	queryNewerTools   = "data.gavel.check.newer_tools"
)

// Snapshot is one compiled policy. It implements gavel.Snapshot, never changes, and is safe for
// concurrent use.
type Snapshot struct {
	*compiledRego

	revision         string
	policyName       string // in messages
	document         *config.Document
	text             []byte // the content of the document's file; nil if it has none
	overrides        Overrides
	resolveLink      func(path string) string // Config.ResolveLink
	verify           func(context.Context, *Snapshot) error
	logger           *slog.Logger
	loadCache        LoadCache               // may be nil
	masker           *secrets.Masker         // hides secrets that reasons quote
	layers           []string                // of the policy, in order
	timeZone         *time.Location          // tools.timeZone
	analyzerSettings *gavel.AnalyzerSettings // what the analyzer needs to know of the policy
	index            *ruleindex.Index        // of allowlist entries and command rules
	notes            Notes

	data      ast.Object // the data of the policy, with the configuration and the overrides
	store     storage.Store
	evaluator Evaluator
	prepared  lazy[map[string]rego.PreparedEvalQuery]     // the queries for topdown
	instances atomic.Pointer[map[string]*regoir.Instance] // the compiled queries with this data; nil before they are planned

	noCache     bool // Config.NoCache
	frozenParts *frozenCache
	results     *resultCache
}

// Revision implements gavel.Snapshot.
func (s *Snapshot) Revision() string { return s.revision }

// Overrides implements gavel.Snapshot.
func (s *Snapshot) Overrides() []string { return s.overrides.Text() }

// newSnapshot compiles a policy that was read, and creates its snapshot. If the configuration has
// problems, it returns the snapshot and an error.
func newSnapshot(ctx context.Context, cfg Config, p *policy) (*Snapshot, error) {
	if err := p.compile(cfg); err != nil {
		return nil, err
	}
	if !p.restored {
		cfg.CompileCache.put(p.compiledRego)
	}
	return p.snapshot(ctx, cfg)
}

// snapshot creates the snapshot of a compiled policy. If the configuration has problems, it returns
// the snapshot and an error.
func (p *policy) snapshot(ctx context.Context, cfg Config) (*Snapshot, error) {
	data, err := p.withConfiguration(p.document, cfg.Overrides)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{
		compiledRego: p.compiledRego,
		revision:     p.revision,
		document:     p.document,
		text:         p.text,
		store:        inmem.NewFromASTObject(data),
		data:         data,
		logger:       cfg.logger(),
		evaluator:    cfg.Evaluator,
		noCache:      cfg.NoCache,
		policyName:   cfg.policyName(),
		resolveLink:  cfg.ResolveLink,
		verify:       cfg.Verify,
		overrides:    cfg.Overrides,
		masker:       secrets.New(),
		loadCache:    cfg.LoadCache,
	}
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.readAnalyzerSettings(ctx); err != nil {
		return nil, err
	}
	if err := s.readTimeZone(); err != nil {
		return nil, err
	}
	var problems error
	if !p.passedBefore || len(p.schemaProblems) > 0 {
		problems = s.checkConfiguration(ctx, p.schemaProblems)
	}
	s.index = ruleindex.New(p.document.Data, packData(p.base), cfg.ResolveLink)
	if s.frozenParts, err = newFrozenCache(p.document.Data); err == nil {
		s.results, err = newResultCache()
	}
	if err != nil {
		return nil, cmp.Or(problems, err)
	}
	return s, problems
}

// prepare prepares the queries for topdown. If that was done before for the same Rego, it puts it
// off until topdown is needed. A policy that replaces the gavel root must define a result.
func (s *Snapshot) prepare(ctx context.Context) error {
	s.prepared.create = func() (map[string]rego.PreparedEvalQuery, error) { return s.prepareQueries(context.WithoutCancel(ctx)) }
	if names := s.layerNames.Load(); names != nil {
		s.layers = *names
		return nil
	}
	if _, err := s.prepared.get(); err != nil {
		return err
	}
	if !slices.Contains(s.defined, queryResult) {
		return newPolicyError(s.policyName, "the policy's own gavel root has no rule "+queryResult,
			"copy the shipped rego folder whole, or leave package gavel alone and use package custom")
	}
	if err := s.readLayerNames(ctx); err != nil {
		return err
	}
	s.layerNames.Store(&s.layers)
	return nil
}

func (s *Snapshot) prepareQueries(ctx context.Context) (map[string]rego.PreparedEvalQuery, error) {
	compiler, err := s.compiler()
	if err != nil {
		return nil, err
	}
	queries := map[string]rego.PreparedEvalQuery{}
	options := append(builtins.Bounded(), rego.Compiler(compiler), rego.Store(s.store),
		rego.Strict(true), rego.StrictBuiltinErrors(true), rego.GenerateJSON(keepTerm))
	for _, query := range append(compiledQueries(), queryExplained, queryLayers) {
		prepared, err := rego.New(append(options, rego.Query(query))...).PrepareForEval(ctx)
		if err != nil {
			return nil, fmt.Errorf("prepare %s: %w", query, err)
		}
		queries[query] = prepared
	}
	return queries, nil
}

// keepTerm makes OPA return a result as the term that it is, without a round trip through JSON
// types.
func keepTerm(term *ast.Term, _ *rego.EvalContext) (any, error) { return term, nil }

// readLayerNames asks the policy for its layers, in order. A policy that replaces the gavel root
// may have none.
func (s *Snapshot) readLayerNames(ctx context.Context) error {
	names, err := s.evalTopdown(ctx, queryLayers, ast.NewObject())
	if err != nil {
		return err
	}
	return each(names, func(name *ast.Term) {
		if text, ok := name.Value.(ast.String); ok {
			s.layers = append(s.layers, string(text))
		}
	})
}
