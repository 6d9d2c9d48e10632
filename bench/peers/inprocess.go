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

// fixed hands out one snapshot.
type fixed struct{ snapshot *bundles.Snapshot }

// Current implements gavel.Policy.
func (f fixed) Current() gavel.Snapshot { return f.snapshot }

// Analyzer is Gavel's own, which looks nothing up that a call claims.
func Analyzer() (*analyzer.Analyzer, error) {
	tables, err := analyzer.ReadTables(rego.Policy)
	if err != nil {
		return nil, fmt.Errorf("read the shipped policy: %w", err)
	}
	return analyzer.New(analyzer.Config{Host: host.Local(), Cwd: "/", Home: "/", Path: []string{"/usr/bin"}, Platform: "linux", Tables: tables})
}

// PDP is Gavel's decision point in this process, without log and approvals. A compiled policy
// is compiled when it returns.
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
	return &gavel.PDP{Analyzer: observer, Policy: fixed{snapshot}, NewID: uuid.NewString, Now: time.Now}, nil
}

// PlainOPA is the shipped policy as a program embeds it that knows OPA from its
// documentation: files are loaded, the query is prepared, nothing is remembered.
func PlainOPA(ctx context.Context, policy, bundle string) (opa.PreparedEvalQuery, error) {
	query, err := opa.New(opa.Query("data.gavel.decision.result"), opa.Load([]string{policy, bundle}, notPolicy)).PrepareForEval(ctx)
	if err != nil {
		return query, fmt.Errorf("prepare the shipped policy: %w", err)
	}
	return query, nil
}

// notPolicy excludes what lies beside the policy in its folder.
func notPolicy(path string, info os.FileInfo, _ int) bool {
	if info.IsDir() {
		return info.Name() == "checks" || info.Name() == "default" || strings.HasSuffix(path, "rego/schema")
	}
	table := strings.HasSuffix(path, ".yaml") && info.Name() != "data.yaml" // the analyzer's; OPA reads none as a bundle
	return table || strings.HasSuffix(path, "_test.rego") || info.Name() == ".manifest" || info.Name() == "README.md"
}
