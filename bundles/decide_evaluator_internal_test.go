package bundles

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/assert"

	"gavel"
)

func TestADifferenceBetweenTheEvaluatorsDeniesAndIsLogged(t *testing.T) {
	value := func(text string) evalOutcome { return evalOutcome{value: ast.MustParseTerm(text)} }
	failed := evalOutcome{err: errors.New("division by zero")}
	cancelled := evalOutcome{err: &topdown.Error{Code: topdown.CancelErr}}
	for name, c := range map[string]struct {
		compiled, walked evalOutcome
		code, log        string // "" if there is none
	}{
		"equal":                    {value(`{"effect": "allow"}`), value(`{"effect": "allow"}`), "", ""},
		"both undefined":           {evalOutcome{}, evalOutcome{}, "", ""},
		"another effect":           {value(`{"a": 1, "effect": "allow"}`), value(`{"a": 1, "effect": "deny"}`), gavel.CodeEvaluatorsDiffer, `at=".\"effect\"."`},
		"a missing member":         {value(`{"a": {"b": 1}}`), value(`{"a": {}}`), gavel.CodeEvaluatorsDiffer, `at=".\"a\".\"b\""`},
		"a member too many":        {value(`{}`), value(`{"secret": "hunter2"}`), gavel.CodeEvaluatorsDiffer, "at=."},
		"another set":              {value(`{1}`), value(`{1, 2}`), gavel.CodeEvaluatorsDiffer, "at=."},
		"undefined in one":         {evalOutcome{}, value("1"), gavel.CodeEvaluatorsDiffer, "at=."},
		"an error in one":          {value("1"), failed, gavel.CodePolicyError, "only one evaluator"},
		"an error in the other":    {failed, value("1"), gavel.CodePolicyError, "only one evaluator"},
		"an error in both":         {failed, failed, gavel.CodePolicyError, ""},
		"cancelled, and not":       {value("1"), cancelled, gavel.CodeEvaluationTimeout, ""},
		"cancelled, and different": {cancelled, value("2"), gavel.CodeEvaluationTimeout, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var log bytes.Buffer
			s := &Snapshot{logger: slog.New(slog.NewTextHandler(&log, nil)), revision: "r"}
			got, err := s.compare(queryResult, c.compiled, c.walked)
			if c.code == "" {
				assert.NoError(t, err)
				assert.Equal(t, c.walked.value, got)
			} else {
				assert.Nil(t, got)
				decision := s.denyFailed(context.Background(), err)
				assert.Equal(t, gavel.Deny, decision.Effect)
				assert.Equal(t, c.code, decision.Reasons[0].Code)
			}
			assert.Contains(t, log.String(), c.log)
			assert.NotContains(t, log.String(), "hunter2")
			if c.log == "" {
				assert.Empty(t, log.String())
			}
		})
	}
}
