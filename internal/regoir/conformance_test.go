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

// knownDifferences are the notes of OPA's cases with another outcome, and the reason.
func knownDifferences() map[string]string {
	return map[string]string{
		"time/time caching": "test.sleep exists in OPA's own tests only",
	}
}

// These are OPA's own conformance tests, on which its evaluators for Go and WebAssembly agree.
func TestOPAsTestCasesPass(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", "github.com/open-policy-agent/opa").Output()
	require.NoError(t, err)
	known, seen, equal := knownDifferences(), map[string]bool{}, 0
	for _, tc := range cases.MustLoad(filepath.Join(strings.TrimSpace(string(out)), "v1/test/cases/testdata/v1")).Sorted().Cases {
		for k, v := range tc.Env {
			t.Setenv(k, v)
		}
		diff := errors.Join(checkCase(tc, compiled), checkCase(tc, restored))
		if reason := known[tc.Note]; reason != "" {
			seen[tc.Note] = true
			assert.Error(t, diff, "%s passes now: remove it from knownDifferences", tc.Note)
			continue
		}
		if assert.NoError(t, diff, "%s: %s", tc.Note, tc.Query) {
			equal++
		}
	}
	for note := range known {
		assert.True(t, seen[note], "OPA has no case %s any more", note)
	}
	assert.Greater(t, equal, 2300)
}

// checkCase returns an error that says how the outcome of a case differs from the expected one.
func checkCase(tc cases.TestCase, compile compiler) (diff error) {
	defer func() {
		if r := recover(); r != nil {
			diff = fmt.Errorf("panic: %v", r)
		}
	}()
	results, err := resultsOf(tc, compile)
	var unsupported *regoir.UnsupportedError
	if errors.As(err, &unsupported) {
		return err
	}
	if tc.WantErrorCode != nil || tc.WantError != nil {
		return checkError(tc, err)
	}
	if err != nil {
		return err
	}
	if tc.WantResult != nil {
		if got, want := gotBindings(tc, results), wantedBindings(tc); got.Compare(want) != 0 {
			return fmt.Errorf("got %v, want %v", got, want)
		}
		return nil
	}
	if tc.WantDefined != nil && *tc.WantDefined != (len(results) > 0) {
		return fmt.Errorf("got %d results", len(results))
	}
	return nil
}

func checkError(tc cases.TestCase, err error) error {
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
	return program.Bind(ast.MustInterfaceToValue(data)).Results(context.Background(), lazyValue(input))
}

func wantedBindings(tc cases.TestCase) ast.Set {
	all := ast.NewSet()
	for _, want := range *tc.WantResult {
		o := ast.NewObject()
		for k, v := range want {
			o.Insert(ast.StringTerm(k), ast.NewTerm(normalize(tc, v)))
		}
		all.Add(ast.NewTerm(o))
	}
	return all
}

func gotBindings(tc cases.TestCase, results []*ast.Term) ast.Set {
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
			o.Insert(k, ast.NewTerm(normalize(tc, text)))
		})
		all.Add(ast.NewTerm(o))
	}
	return all
}

func normalize(tc cases.TestCase, v any) ast.Value {
	value := ast.MustInterfaceToValue(v)
	if list, ok := value.(*ast.Array); ok && tc.SortBindings {
		return list.Sorted()
	}
	return value
}
