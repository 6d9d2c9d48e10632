package regoir_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/regoir"
)

var (
	evaluations = flag.Int("evaluations", 2000, "how many evaluations of generated modules are compared with topdown")
	inputsEach  = flag.Int("inputs", 30, "how many inputs each generated module is evaluated for")
	firstSeed   = flag.Uint64("seed", 1, "the seed of the first generated module")
)

// Both evaluators treat errors of built-in functions as undefined. In strict mode the results would
// depend on which clauses an index skips.
func TestGeneratedModulesHaveTopdownsResults(t *testing.T) {
	compared, refused, failures := 0, 0, map[failure]int{}
	for seed := *firstSeed; compared < *evaluations; seed++ {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		modules := g.modules()
		evaluators, err := newEvaluators(modules)
		if err != nil {
			refused++
			require.Less(t, refused, 200+compared, "too few of the generated modules compile: %v\n%s", err, modules)
			continue
		}
		for range *inputsEach {
			input := g.input()
			failure, err := evaluators.compare(input)
			require.NoError(t, err, "seed %d\n%s\ninput %v", seed, modules, input)
			compared++
			failures[failure]++
		}
	}
	t.Logf("%d evaluations of generated modules: %d with errors in both, %d in one, %d in which topdown's index loses a rule; %d modules refused",
		compared, failures[inBoth], failures[inOne], failures[inIndex], refused)
	assert.Less(t, failures[inBoth], compared/2)
	assert.Less(t, failures[inOne], compared/50)
	assert.LessOrEqual(t, failures[inIndex], compared/1000)
}

// failure says which evaluators found an error. It is always a conflict, and one evaluator may stop
// before it reaches the conflict. inIndex is a bug of topdown's: its rule index takes x.k in
// "x in input.o; x.k" for input.o.k, and skips rules that apply.
type failure int

const (
	none failure = iota
	inBoth
	inOne
	inIndex
)

// evaluators are this package and topdown with the same modules.
type evaluators struct {
	instance *regoir.Instance
	compiler *ast.Compiler
	query    ast.Body
	store    storage.Store
}

// newEvaluators returns an error for modules that OPA's compiler or planner refuses, and for those on
// which the planner panics.
func newEvaluators(modules map[string]string) (result *evaluators, err error) {
	defer func() {
		if v := recover(); v != nil {
			result, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	compiler, err := ast.CompileModules(modules)
	if err != nil {
		return nil, err
	}
	if reason := regoir.PlannerDisagreement(compiler); reason != "" {
		return nil, errors.New(reason)
	}
	data, _ := ast.MustParseTerm(generatedData).Value.(ast.Object)
	native, err := ast.JSON(data)
	if err != nil {
		return nil, err
	}
	document, _ := native.(map[string]any)
	e := &evaluators{compiler: compiler, store: inmem.NewFromObject(document)}
	planned, err := planOf(rego.Query("data.t"), rego.Compiler(compiler), rego.Store(e.store))
	if err != nil {
		return nil, err
	}
	program, err := regoir.Compile(planned.policy, planned.options)
	if err != nil {
		return nil, err
	}
	e.instance = program.Bind(data)
	e.query, err = compiler.QueryCompiler().Compile(ast.MustParseBody("x = data.t"))
	return e, err
}

// compare evaluates an input with topdown and twice with this package: as it is, and with lazy objects.
// The second evaluation also shows that the first leaves nothing behind that changes results.
func (e *evaluators) compare(input ast.Value) (failure, error) {
	want, wantErr := e.topdown(input, true)
	for _, given := range []ast.Value{input, lazyValue(input)} {
		got, gotErr := e.instance.Eval(context.Background(), given)
		switch {
		case wantErr != nil && gotErr != nil && codeOf(wantErr) != codeOf(gotErr):
			return 0, fmt.Errorf("topdown: %w, regoir: %w", wantErr, gotErr)
		case wantErr != nil && gotErr != nil:
			return inBoth, nil
		case wantErr != nil || gotErr != nil:
			return inOne, nil
		case (want == nil) != (got == nil) || want != nil && want.Value.Compare(got.Value) != 0:
			if all, err := e.topdown(input, false); err == nil && all != nil && got != nil && all.Value.Compare(got.Value) == 0 {
				return inIndex, nil
			}
			return 0, fmt.Errorf("topdown\n%v, regoir\n%v", want, got)
		}
	}
	return none, nil
}

func (e *evaluators) topdown(input ast.Value, indexed bool) (*ast.Term, error) {
	ctx := context.Background()
	txn, err := e.store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer e.store.Abort(ctx, txn)
	results, err := topdown.NewQuery(e.query).WithCompiler(e.compiler).WithStore(e.store).WithTransaction(txn).
		WithInput(ast.NewTerm(input)).WithIndexing(indexed).Run(ctx)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	return results[0]["x"], nil
}

func codeOf(err error) string {
	var coded *topdown.Error
	if errors.As(err, &coded) {
		return coded.Code
	}
	return ""
}
