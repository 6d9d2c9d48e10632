package bundles

import (
	"context"
	"encoding/json"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"

	"gavel"
)

// The rules that say which rules about commands a call meets.
const (
	ruleApplied    = "data.gavel.exec.rules.applied"
	ruleConditions = "data.gavel.exec.rules.conditions"
)

// RuleConditions says which conditions of a rule about commands hold for one program of a
// call.
type RuleConditions struct {
	Path     string `json:"path"`  // of the rule
	Shown    string `json:"shown"` // the program with its sub-commands
	Program  bool   `json:"program"`
	Commands bool   `json:"commands"`
	Options  bool   `json:"options"`
	Operands bool   `json:"operands"`
}

// MetRules are the rules about commands that a call meets: their paths, and which conditions
// of each that may be about one of its programs hold.
type MetRules struct {
	Applied    []string
	Conditions []RuleConditions
}

// RulesMet says which rules about commands some facts meet. A policy with a root of its own
// that has none says nothing.
func (s *Snapshot) RulesMet(ctx context.Context, facts gavel.Facts) (MetRules, error) {
	var found MetRules
	frozen, err := s.complete(ctx, &facts)
	if err != nil {
		return found, err
	}
	input, err := s.input(&facts, frozen)
	if err != nil {
		return found, err
	}
	compiler, err := s.rules()
	if err != nil {
		return found, err
	}
	for query, into := range map[string]any{ruleApplied: &found.Applied, ruleConditions: &found.Conditions} {
		if len(compiler.GetRulesExact(ast.MustParseRef(query))) == 0 {
			continue
		}
		results, err := rego.New(append(boundedFunctions(), rego.Query(query), rego.Compiler(compiler), rego.Store(s.store),
			rego.ParsedInput(input), rego.StrictBuiltinErrors(true))...).Eval(ctx)
		if err != nil {
			return found, internal("evaluate "+query, err)
		}
		if len(results) == 0 || len(results[0].Expressions) == 0 {
			continue
		}
		text, err := json.Marshal(results[0].Expressions[0].Value)
		if err != nil {
			return found, internal("read "+query, err)
		}
		if err := json.Unmarshal(text, into); err != nil {
			return found, internal("read "+query, err)
		}
	}
	return found, nil
}
