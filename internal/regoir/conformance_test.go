package regoir_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/test/cases"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

// exceptions are the cases of OPA whose outcome differs, by note, with the reason.
func exceptions() map[string]string {
	return map[string]string{
		"time/time caching": "test.sleep exists in OPA's own tests only",
	}
}

// OPA's own corpus of cases: what its evaluators, in Go and WebAssembly, have to agree on.
func TestOPAsCasesHaveOPAsResults(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/open-policy-agent/opa").Output()
	require.NoError(t, err)
	known, seen, equal := exceptions(), map[string]bool{}, 0
	for _, tc := range cases.MustLoad(filepath.Join(strings.TrimSpace(string(out)), "v1/test/cases/testdata/v1")).Sorted().Cases {
		for k, v := range tc.Env {
			t.Setenv(k, v)
		}
		wrong := errors.Join(outcome(tc, compiled), outcome(tc, restored))
		if reason := known[tc.Note]; reason != "" {
			seen[tc.Note] = true
			assert.Error(t, wrong, "%s is equal now: take it off the list", tc.Note)
			continue
		}
		if assert.NoError(t, wrong, "%s: %s", tc.Note, tc.Query) {
			equal++
		}
	}
	for note := range known {
		assert.True(t, seen[note], "OPA has no case %s any more", note)
	}
	assert.Greater(t, equal, 2300)
}

// outcome says how a case differs from what OPA wants.
func outcome(tc cases.TestCase, compile compiler) (wrong error) {
	defer func() {
		if r := recover(); r != nil {
			wrong = fmt.Errorf("panic: %v", r)
		}
	}()
	results, err := resultsOf(tc, compile)
	var unsupported *regoir.UnsupportedError
	if errors.As(err, &unsupported) {
		return err
	}
	if tc.WantErrorCode != nil || tc.WantError != nil {
		return wantError(tc, err)
	}
	if err != nil {
		return err
	}
	if tc.WantResult != nil {
		if got, want := bindings(tc, results), wanted(tc); got.Compare(want) != 0 {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	}
	if tc.WantDefined != nil && *tc.WantDefined != (len(results) > 0) {
		return fmt.Errorf("got %d results", len(results))
	}
	return nil
}

func wantError(tc cases.TestCase, err error) error {
	if err == nil {
		return errors.New("no error")
	}
	var coded *topdown.Error
	if !errors.As(err, &coded) {
		return fmt.Errorf("an error without a code: %w", err)
	}
	if tc.WantErrorCode != nil && coded.Code != *tc.WantErrorCode {
		return fmt.Errorf("code %s, want %s", coded.Code, *tc.WantErrorCode)
	}
	if coded.Location == nil || coded.Location.Row == 0 {
		return fmt.Errorf("no location: %w", err)
	}
	return nil
}

func resultsOf(tc cases.TestCase, compile compiler) ([]*ast.Term, error) {
	modules := map[string]string{}
	for i, m := range tc.Modules {
		modules[fmt.Sprintf("test-%d.rego", i)] = m
	}
	parsing := ast.ParserOptions{RegoVersion: ast.RegoV1}
	if tc.ExperimentalKeywords {
		parsing.Capabilities = ast.CapabilitiesForThisVersion(ast.CapabilitiesExperimentalKeywords(true))
	}
	compiler, err := ast.CompileModulesWithOpt(modules, ast.CompileOpts{ParserOptions: parsing})
	if err != nil {
		return nil, fmt.Errorf("compile: %w", err)
	}
	data := map[string]any{}
	if tc.Data != nil {
		data = *tc.Data
	}
	query, err := ast.ParseBodyWithOpts(tc.Query, parsing)
	if err != nil {
		return nil, err
	}
	p, err := planOf(rego.ParsedQuery(query), rego.Compiler(compiler), rego.Store(inmem.NewFromObject(data)))
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	p.options.Strict = tc.StrictError
	program, err := compile(p)
	if err != nil {
		return nil, err
	}
	var input ast.Value
	if tc.InputTerm != nil {
		input = ast.MustParseTerm(*tc.InputTerm).Value
	} else if tc.Input != nil {
		input = ast.MustInterfaceToValue(*tc.Input)
	}
	return program.Bind(ast.MustInterfaceToValue(data)).Results(context.Background(), lazy(input))
}

func wanted(tc cases.TestCase) ast.Set {
	all := ast.NewSet()
	for _, want := range *tc.WantResult {
		o := ast.NewObject()
		for k, v := range want {
			o.Insert(ast.StringTerm(k), ast.NewTerm(normal(tc, v)))
		}
		all.Add(ast.NewTerm(o))
	}
	return all
}

func bindings(tc cases.TestCase, results []*ast.Term) ast.Set {
	all := ast.NewSet()
	for _, result := range results {
		o := ast.NewObject()
		given, _ := result.Value.(ast.Object)
		given.Foreach(func(k, v *ast.Term) {
			name, _ := k.Value.(ast.String)
			if tc.IgnoreGeneratedVars && strings.HasPrefix(string(name), "_") {
				return
			}
			text, err := ast.JSON(v.Value)
			if err != nil {
				panic(err)
			}
			o.Insert(k, ast.NewTerm(normal(tc, text)))
		})
		all.Add(ast.NewTerm(o))
	}
	return all
}

func normal(tc cases.TestCase, v any) ast.Value {
	value := ast.MustInterfaceToValue(v)
	if list, ok := value.(*ast.Array); ok && tc.SortBindings {
		return list.Sorted()
	}
	return value
}
