package peers

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"
	opa "github.com/open-policy-agent/opa/v1/rego"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/bundles"
	"gavel/rego"
)

// staticPolicy implements gavel.Policy with a snapshot that never changes.
type staticPolicy struct{ snapshot *bundles.Snapshot }

// Current implements gavel.Policy.
func (f staticPolicy) Current() gavel.Snapshot { return f.snapshot }

// Analyzer returns Gavel's analyzer. It looks up nothing that a call states.
func Analyzer() (*analyzer.Analyzer, error) {
	tables, err := analyzer.ReadTables(rego.Policy)
	if err != nil {
		return nil, fmt.Errorf("read the shipped policy: %w", err)
	}
	return analyzer.New(analyzer.Config{Host: host.Local(), Cwd: "/", Home: "/", Path: []string{"/usr/bin"}, Platform: "linux", Tables: tables})
}

// PDP returns a Gavel in this process, without decision log and approvals. The policy is compiled
// before it returns.
func PDP(ctx context.Context, policy, evaluator string) (*gavel.PDP, error) {
	snapshot, err := bundles.Load(ctx, bundles.Config{Path: policy, Evaluator: bundles.Evaluator(evaluator), Builtin: rego.Policy, ConfigSchema: rego.ConfigSchema,
		FactsSchema: rego.FactsSchema, Default: rego.DefaultConfig, Now: time.Now})
	if err != nil {
		return nil, fmt.Errorf("load %s: %w", policy, err)
	}
	snapshot.Compile()
	observer, err := Analyzer()
	if err != nil {
		return nil, err
	}
	return &gavel.PDP{Analyzer: observer, Policy: staticPolicy{snapshot}, NewID: uuid.NewString, Now: time.Now}, nil
}

// EmbeddedOPA returns a prepared query of the shipped policy, as a program would use it that embeds OPA
// as OPA's documentation explains. It has no cache.
func EmbeddedOPA(ctx context.Context, policy, bundle string) (opa.PreparedEvalQuery, error) {
	query, err := opa.New(opa.Query("data.gavel.decision.result"), opa.Load([]string{policy, bundle}, excludeNonPolicy)).PrepareForEval(ctx)
	if err != nil {
		return query, fmt.Errorf("prepare the shipped policy: %w", err)
	}
	return query, nil
}

// excludeNonPolicy excludes files in the directory of the policy that are not part of it.
func excludeNonPolicy(path string, info os.FileInfo, _ int) bool {
	if info.IsDir() {
		return info.Name() == "checks" || info.Name() == "default" || strings.HasSuffix(path, "rego/schema")
	}
	table := strings.HasSuffix(path, ".yaml") && info.Name() != "data.yaml" // for the analyzer; OPA ignores them in bundles
	return table || strings.HasSuffix(path, "_test.rego") || info.Name() == ".manifest" || info.Name() == "README.md"
}
