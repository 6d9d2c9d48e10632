package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/packed"
	"gavel/internal/regoir"
)

// savedProgram returns encoded compiled Rego with one rule.
func savedProgram(t *testing.T) []byte {
	t.Helper()
	compiler, err := ast.CompileModules(map[string]string{"a.rego": "package a\n\nb if input.c\n"})
	require.NoError(t, err)
	plan, err := compilePlan(compiler, "data.a.b")
	require.NoError(t, err)
	s := &Snapshot{compiledRego: &compiledRego{identity: "this", base: ast.NewObject(), customPackages: ast.ArrayTerm(),
		texts: map[string]ruleText{"a.b": {"t", "d", "m", "f", "file", "s", "a"}}, coveredTools: map[string]bool{"read": true}}, layers: []string{"a"}}
	s.plans.programs = map[string]*regoir.Program{"data.a.b": plan}
	text, err := s.encodeCompiled()
	require.NoError(t, err)
	return text
}

func TestSavedRegoIsRestoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	text := savedProgram(t)
	p, err := decodeCompiled(text, "this")
	require.NoError(t, err)
	assert.Equal(t, ruleText{"t", "d", "m", "f", "file", "s", "a"}, p.texts["a.b"])
	assert.Equal(t, map[string]bool{"read": true}, p.coveredTools)
	assert.Equal(t, []string{"a"}, *p.layerNames.Load())
	value, err := p.plans.programs["data.a.b"].Bind(p.base).EvalRule(t.Context(), "data.a.b", ast.MustParseTerm(`{"c": true}`).Value)
	require.NoError(t, err)
	assert.Equal(t, "true", value.String())
	for n := range len(text) {
		_, err := decodeCompiled(text[:n], "this")
		assert.Error(t, err, "the first %d bytes", n)
	}
	_, err = decodeCompiled(append(text[:len(text):len(text)], 0), "this")
	require.Error(t, err, "with a byte more")
	_, err = decodeCompiled(text, "another")
	require.Error(t, err, "of another policy")
}

func TestRegoThatIsNotFullyCompiledIsNotSaved(t *testing.T) {
	t.Parallel()
	s := &Snapshot{compiledRego: &compiledRego{base: ast.NewObject(), customPackages: ast.ArrayTerm()}}
	_, err := s.encodeCompiled()
	assert.Error(t, err)
}

func TestTermsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`null`, `true`, `false`, `0`, `-1.5e300`, `12345678901234567890`, `"a\u0000b"`, `[]`, `[1, ["x"], {}]`,
		`{"a": {"b": [null, true]}, "c": ""}`, `{1: 2, [3]: 4}`} {
		w := &packed.Writer{}
		term := ast.MustParseTerm(text)
		require.NoError(t, writeTerm(w, term), text)
		r := packed.NewReader(w.Bytes())
		assert.Zero(t, term.Value.Compare(readTerm(r).Value), text)
		require.NoError(t, r.Done(), text)
	}
	require.Error(t, writeTerm(&packed.Writer{}, ast.MustParseTerm(`[{1, 2}]`)), "data has no sets")
	r := packed.NewReader([]byte{200})
	readTerm(r)
	assert.Error(t, r.Err())
}
