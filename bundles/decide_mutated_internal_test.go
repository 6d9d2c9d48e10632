package bundles

import (
	"bufio"
	"bytes"
	"encoding/json"
	flags "flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/analyzer"
	"gavel/analyzer/host"
	"gavel/internal/regoir"
	shipped "gavel/rego"
)

var (
	mutations    = flags.Int("mutations", 300, "how many inputs with changed facts are evaluated by both evaluators")
	mutationSeed = flags.Uint64("mutation-seed", 1, "the seed of the first of them")
)

// The test changes facts at random: it removes members, gives them wrong types or the values of
// others, and lengthens arrays. Both evaluators must have the same result.
func TestChangedFactsHaveTheSameResultInBothEvaluators(t *testing.T) {
	t.Parallel()
	s := snapshotForMutations(t)
	inputs := inputsForMutations(t, s)
	effects, failing, one := map[string]int{}, 0, 0
	for n := range *mutations {
		seed := *mutationSeed + uint64(n)
		m := &mutator{Rand: rand.New(rand.NewPCG(seed, 11))}
		input := m.mutate(inputs[m.IntN(len(inputs))])
		want, wantErr := s.evalTopdown(t.Context(), queryResult, input.Value)
		for name, given := range map[string]ast.Value{"whole": input.Value, "late": lazyTerm(input).Value} {
			got, gotErr := s.instance(queryResult).EvalRule(t.Context(), queryResult, given)
			switch {
			case wantErr != nil && gotErr != nil:
				failing++
			case wantErr != nil || gotErr != nil:
				one++ // one of them may not get to the error; see the documentation of regoir
			default:
				require.Empty(t, difference(got, want), "seed %d, %s: %v", seed, name, input)
				effects[getString(got, "effect")]++
			}
		}
	}
	t.Logf("%d changed inputs: %v, %d errors in both, %d in one", *mutations, effects, failing, one)
	assert.NotZero(t, effects["allow"])
	assert.NotZero(t, effects["ask"])
	assert.NotZero(t, effects["deny"])
	assert.Less(t, failing+one, *mutations/10)
}

func snapshotForMutations(t *testing.T) *Snapshot {
	t.Helper()
	programs, err := NewCompileCache()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte(`
tools:
  exec:
    host: gateway
    ask: on-miss
    allowlist: [/usr/bin/ls, {pattern: /usr/bin/find, args: any}]
    rules:
      - {program: git, commands: [status], effect: allow}
      - {program: rm, effect: ask}
      - {program: dd, effect: deny}
  read: {allow: [/srv/app/**], deny: [/srv/app/.env]}
  write: {allow: [/srv/app/**]}
agents:
  main: {}
  coder: {profile: coding}
`), 0o600))
	s, err := Load(t.Context(), Config{Path: path, CompileCache: programs, Builtin: shipped.Policy, ConfigSchema: shipped.ConfigSchema,
		FactsSchema: shipped.FactsSchema, Default: shipped.DefaultConfig, Now: time.Now, Evaluator: Compiled})
	require.NoError(t, err)
	s.Compile()
	_, left := s.ActiveEvaluator()
	require.Empty(t, left)
	return s
}

// inputsForMutations returns the inputs of the sample calls and of some commands.
func inputsForMutations(t *testing.T, s *Snapshot) []*ast.Term {
	t.Helper()
	tables, err := analyzer.ReadTables(shipped.Policy)
	require.NoError(t, err)
	a, err := analyzer.New(analyzer.Config{Host: host.Local(), Platform: "linux", Tables: tables})
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join("..", "testdata", "calls.jsonl"))
	require.NoError(t, err)
	var calls []gavel.Call
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		var call gavel.Call
		require.NoError(t, json.Unmarshal(lines.Bytes(), &call))
		calls = append(calls, call)
	}
	for _, command := range []string{"ls -la src", "git status | head -5", "rm -rf build", "find . -exec rm {} +", "ls > out", "sudo dd if=x of=y",
		"A=1 env B=2 ls", "cat $(ls) && wc -l x", "for f in a b; do ls $f; done", "timeout 5 sh -c 'ls; git push'", "echo 'x", ""} {
		executables := map[string]string{}
		for _, name := range []string{"ls", "git", "head", "rm", "find", "sudo", "dd", "env", "cat", "wc", "timeout", "sh"} {
			executables[name] = "/usr/bin/" + name
		}
		calls = append(calls, gavel.Call{Agent: gavel.Agent{ID: "coder"}, Tool: gavel.Tool{Name: "exec", Params: map[string]any{"command": command}},
			Environment: &gavel.Environment{Cwd: "/srv/app", Home: "/home/u", Path: []string{"/usr/bin"}, Executables: executables}})
	}
	var inputs []*ast.Term
	for _, call := range calls {
		facts := a.Analyze(t.Context(), call, nil)
		facts.Caller = gavel.CallerFacts{Kind: "gateway", Agents: []string{"*"}, InSession: true}
		frozen, err := s.complete(t.Context(), &facts)
		require.NoError(t, err)
		input, err := s.input(&facts, frozen)
		require.NoError(t, err)
		inputs = append(inputs, ast.NewTerm(input))
	}
	return inputs
}

// mutator changes values at random.
type mutator struct {
	*rand.Rand
	seen []*ast.Term // values of the input, to be used in other places
}

// mutate returns an input with up to three changes.
func (m *mutator) mutate(input *ast.Term) *ast.Term {
	ast.WalkTerms(input, func(t *ast.Term) bool {
		m.seen = append(m.seen, t)
		return false
	})
	for range m.IntN(4) {
		input = m.mutateOnce(input)
	}
	return input
}

// mutateOnce changes one value inside a term.
func (m *mutator) mutateOnce(t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case ast.Object:
		if v.Len() == 0 {
			return m.replacement(t)
		}
		chosen := v.Keys()[m.IntN(v.Len())]
		var pairs [][2]*ast.Term
		v.Foreach(func(k, value *ast.Term) {
			switch {
			case k != chosen:
			case m.IntN(6) == 0:
				return
			default:
				value = m.mutateOnce(value)
			}
			pairs = append(pairs, [2]*ast.Term{k, value})
		})
		return ast.ObjectTerm(pairs...)
	case *ast.Array:
		elements := slices.Collect(func(yield func(*ast.Term) bool) { v.Until(func(e *ast.Term) bool { return !yield(e) }) })
		switch n := m.IntN(5); {
		case len(elements) == 0 || n == 0:
			return ast.ArrayTerm(append(elements, m.replacement(t))...)
		case n == 1:
			at := m.IntN(len(elements))
			return ast.ArrayTerm(slices.Insert(elements, at, elements[at])...)
		case n == 2:
			at := m.IntN(len(elements))
			return ast.ArrayTerm(slices.Delete(elements, at, at+1)...)
		default:
			at := m.IntN(len(elements))
			elements[at] = m.mutateOnce(elements[at])
			return ast.ArrayTerm(elements...)
		}
	}
	return m.replacement(t)
}

// replacement returns a value of any type, or one of the input.
func (m *mutator) replacement(t *ast.Term) *ast.Term {
	if m.IntN(2) == 0 {
		return m.seen[m.IntN(len(m.seen))]
	}
	if b, ok := t.Value.(ast.Boolean); ok {
		return ast.InternedTerm(!bool(b))
	}
	return ast.MustParseTerm([]string{`null`, `true`, `false`, `0`, `-1`, `1.5`, `""`, `"x"`, `"/"`, `[]`, `{}`, `["x"]`, `{"x": 1}`}[m.IntN(13)])
}

// lazyTerm returns the same value in the form of an input: members become terms when rules look at
// them.
func lazyTerm(t *ast.Term) *ast.Term {
	switch v := t.Value.(type) {
	case ast.Object:
		names := make([]string, v.Len())
		for i, k := range v.Keys() {
			name, ok := k.Value.(ast.String)
			if !ok {
				return t
			}
			names[i] = string(name)
		}
		o := &lazyObject{of: v}
		return o.Init(regoir.NewShape(names...), o)
	case *ast.Array:
		var elements []*ast.Term
		v.Foreach(func(e *ast.Term) { elements = append(elements, lazyTerm(e)) })
		return regoir.NewLazyArray(elements)
	}
	return t
}

type lazyObject struct {
	regoir.LazyObject
	of ast.Object
}

func (o *lazyObject) Member(n int) *ast.Term { return lazyTerm(o.of.Get(o.of.Keys()[n])) }
