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

// Generated modules have topdown's results. Built-in errors are undefined here in both, so that
// what an index skips makes no difference.
func TestGeneratedModulesHaveTopdownsResults(t *testing.T) {
	compared, refused, failing := 0, 0, map[failure]int{}
	for seed := *firstSeed; compared < *evaluations; seed++ {
		g := &generator{Rand: rand.New(rand.NewPCG(seed, 7))}
		modules := g.modules()
		both, err := newPair(modules)
		if err != nil {
			refused++
			require.Less(t, refused, 200+compared, "the generator writes nothing usable: %v\n%s", err, modules)
			continue
		}
		for range *inputsEach {
			input := g.input()
			failed, err := both.compare(input)
			require.NoError(t, err, "seed %d\n%s\ninput %v", seed, modules, input)
			compared++
			failing[failed]++
		}
	}
	t.Logf("%d evaluations of generated modules: %d with errors in both, %d in one, %d in which topdown's index loses a rule; %d modules refused",
		compared, failing[inBoth], failing[inOne], failing[inIndex], refused)
	assert.Less(t, failing[inBoth], compared/2)
	assert.Less(t, failing[inOne], compared/50)
	assert.LessOrEqual(t, failing[inIndex], compared/1000)
}

// failure says which evaluators found an error, which is always that of a conflict. One may stop
// before it gets there. OPA's index of rules takes x.k in "x in input.o; x.k" for input.o.k, and so
// topdown loses rules that it finds without the index.
type failure int

const (
	none failure = iota
	inBoth
	inOne
	inIndex
)

// pair is a module in both evaluators.
type pair struct {
	instance *regoir.Instance
	compiler *ast.Compiler
	query    ast.Body
	store    storage.Store
}

// newPair returns an error for modules that OPA's compiler or its planner refuses; the planner does
// so with a panic, too.
func newPair(modules map[string]string) (made *pair, err error) {
	defer func() {
		if v := recover(); v != nil {
			made, err = nil, fmt.Errorf("panic: %v", v)
		}
	}()
	compiler, err := ast.CompileModules(modules)
	if err != nil {
		return nil, err
	}
	if why := regoir.PlannerDisagreement(compiler); why != "" {
		return nil, errors.New(why)
	}
	data, _ := ast.MustParseTerm(generatedData).Value.(ast.Object)
	native, err := ast.JSON(data)
	if err != nil {
		return nil, err
	}
	document, _ := native.(map[string]any)
	p := &pair{compiler: compiler, store: inmem.NewFromObject(document)}
	planned, err := planOf(rego.Query("data.t"), rego.Compiler(compiler), rego.Store(p.store))
	if err != nil {
		return nil, err
	}
	program, err := regoir.Compile(planned.policy, planned.options)
	if err != nil {
		return nil, err
	}
	p.instance = program.Bind(data)
	p.query, err = compiler.QueryCompiler().Compile(ast.MustParseBody("x = data.t"))
	return p, err
}

// compare evaluates the module for an input with each, and again for the same input that is not
// made yet: what an evaluation leaves behind must not change the next one.
func (p *pair) compare(input ast.Value) (failure, error) {
	want, wantErr := p.topdown(input, true)
	for _, given := range []ast.Value{input, lazy(input)} {
		got, gotErr := p.instance.Eval(context.Background(), given)
		switch {
		case wantErr != nil && gotErr != nil && codeOf(wantErr) != codeOf(gotErr):
			return 0, fmt.Errorf("topdown: %w, here: %w", wantErr, gotErr)
		case wantErr != nil && gotErr != nil:
			return inBoth, nil
		case wantErr != nil || gotErr != nil:
			return inOne, nil
		case (want == nil) != (got == nil) || want != nil && want.Value.Compare(got.Value) != 0:
			if all, err := p.topdown(input, false); err == nil && all != nil && got != nil && all.Value.Compare(got.Value) == 0 {
				return inIndex, nil
			}
			return 0, fmt.Errorf("topdown\n%v, here\n%v", want, got)
		}
	}
	return none, nil
}

func (p *pair) topdown(input ast.Value, indexed bool) (*ast.Term, error) {
	ctx := context.Background()
	txn, err := p.store.NewTransaction(ctx)
	if err != nil {
		return nil, err
	}
	defer p.store.Abort(ctx, txn)
	results, err := topdown.NewQuery(p.query).WithCompiler(p.compiler).WithStore(p.store).WithTransaction(txn).
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
