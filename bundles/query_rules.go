package bundles

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"gavel"
	"gavel/bundles/builtins"
)

const (
	queryAppliedRules   = "data.gavel.exec.rules.applied"
	queryRuleConditions = "data.gavel.exec.rules.conditions"
)

// RuleConditions says which conditions of a command rule hold for one program of a call.
type RuleConditions struct {
	Path     string `json:"path"`  // of the rule
	Shown    string `json:"shown"` // the program with its sub-commands
	Program  bool   `json:"program"`
	Commands bool   `json:"commands"`
	Options  bool   `json:"options"`
	Operands bool   `json:"operands"`
}

// RuleMatches are the command rules that apply to a call, by their paths, and the conditions of
// every rule that may be about one of its programs.
type RuleMatches struct {
	Applied    []string
	Conditions []RuleConditions
}

// MatchRules returns the command rules that apply to some facts. If a policy replaces the gavel
// root and has no such rules, the result is empty.
func (s *Snapshot) MatchRules(ctx context.Context, facts gavel.Facts) (RuleMatches, error) {
	var matches RuleMatches
	compiler, err := s.compiler()
	if err != nil {
		return matches, err
	}
	rules, err := s.newRuleReader(ctx, compiler, facts)
	if err != nil {
		return matches, err
	}
	for query, into := range map[string]any{queryAppliedRules: &matches.Applied, queryRuleConditions: &matches.Conditions} {
		if !hasRule(compiler, query) {
			continue
		}
		if _, err := rules.read(ctx, query, into); err != nil {
			return matches, err
		}
	}
	return matches, nil
}

// hasRule reports whether the policy has a rule.
func hasRule(compiler *ast.Compiler, query string) bool {
	return len(compiler.GetRulesExact(ast.MustParseRef(query))) > 0
}

// ruleReader evaluates rules that are asked for so seldom that they are not prepared.
type ruleReader struct {
	compiler *ast.Compiler
	snapshot *Snapshot
	input    ast.Value
}

// newRuleReader returns a reader of rules for the facts of one call.
func (s *Snapshot) newRuleReader(ctx context.Context, compiler *ast.Compiler, facts gavel.Facts) (*ruleReader, error) {
	frozen, err := s.complete(ctx, &facts)
	if err != nil {
		return nil, err
	}
	input, err := s.input(&facts, frozen)
	return &ruleReader{compiler, s, input}, err
}

// read evaluates a rule with topdown, and decodes its value. It returns false if the value is
// undefined.
func (r *ruleReader) read(ctx context.Context, query string, into any) (defined bool, err error) {
	results, err := rego.New(append(builtins.Bounded(), rego.Query(query), rego.Compiler(r.compiler), rego.Store(r.snapshot.store),
		rego.ParsedInput(r.input), rego.StrictBuiltinErrors(true))...).Eval(ctx)
	if err != nil {
		return false, fmt.Errorf("evaluate %s: %w", query, err)
	}
	if len(results) == 0 || len(results[0].Expressions) == 0 {
		return false, nil
	}
	if err := decodeJSON(results[0].Expressions[0].Value, into); err != nil {
		return false, fmt.Errorf("read %s: %w", query, err)
	}
	return true, nil
}

// decodeJSON converts a value of JSON types into a Go type.
func decodeJSON(value, into any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}
