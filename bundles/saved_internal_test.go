package bundles

import (
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/packed"
	"gavel/internal/regoir"
)

// savedProgram is a small program as save writes it.
func savedProgram(t *testing.T) []byte {
	t.Helper()
	compiler, err := ast.CompileModules(map[string]string{"a.rego": "package a\n\nb if input.c\n"})
	require.NoError(t, err)
	plan, err := planned(compiler, "data.a.b")
	require.NoError(t, err)
	s := &Snapshot{program: &program{identity: "this", base: ast.NewObject(), customPackages: ast.ArrayTerm(),
		words: map[string]words{"a.b": {"t", "d", "m", "f", "file", "s", "a"}}, known: map[string]bool{"read": true}}, layers: []string{"a"}}
	s.plans.programs = map[string]*regoir.Program{"data.a.b": plan}
	text, err := s.save()
	require.NoError(t, err)
	return text
}

func TestASavedProgramIsRestoredWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	text := savedProgram(t)
	p, err := restore(text, "this")
	require.NoError(t, err)
	assert.Equal(t, words{"t", "d", "m", "f", "file", "s", "a"}, p.words["a.b"])
	assert.Equal(t, map[string]bool{"read": true}, p.known)
	assert.Equal(t, []string{"a"}, *p.layerNames.Load())
	value, err := p.plans.programs["data.a.b"].Bind(p.base).EvalRule(t.Context(), "data.a.b", ast.MustParseTerm(`{"c": true}`).Value)
	require.NoError(t, err)
	assert.Equal(t, "true", value.String())
	for n := range len(text) {
		_, err := restore(text[:n], "this")
		assert.Error(t, err, "the first %d bytes", n)
	}
	_, err = restore(append(text[:len(text):len(text)], 0), "this")
	require.Error(t, err, "with a byte more")
	_, err = restore(text, "another")
	require.Error(t, err, "of another policy")
}

func TestAProgramThatIsNotPlannedIsNotSaved(t *testing.T) {
	t.Parallel()
	s := &Snapshot{program: &program{base: ast.NewObject(), customPackages: ast.ArrayTerm()}}
	_, err := s.save()
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
