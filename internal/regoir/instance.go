package regoir

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/metrics"
	"github.com/open-policy-agent/opa/v1/topdown"
)

// ErrNoRule is returned by EvalRule for a rule that the plan does not contain.
var ErrNoRule = errors.New("the plan has no such rule")

// Instance is a program bound to its data. It is safe for concurrent use.
type Instance struct {
	program        *Program
	data           *ast.Term
	dataOnlyValues []atomic.Pointer[sharedValue] // of data-only rules, by slot
	machines       sync.Pool
	prefilters     sync.Map // *prefilterCache by *ir.ScanStmt
}

// sharedValue is the value of a data-only rule; nil if it is undefined.
type sharedValue struct{ value *ast.Term }

// Bind returns an instance for data, an object that must not change from now on. Bind itself is
// cheap: data-only rules are evaluated when they are first needed.
func (p *Program) Bind(data ast.Value) *Instance {
	i := &Instance{program: p, data: ast.NewTerm(data), dataOnlyValues: newSharedValues(p.numSlots())}
	i.machines.New = func() any { return newMachine(i) }
	return i
}

func newSharedValues(n int) []atomic.Pointer[sharedValue] {
	return make([]atomic.Pointer[sharedValue], n)
}

// Eval evaluates the plan's query. A nil input leaves input undefined. The result is the value of
// the query's only variable, which is what rego returns for a query of one term, or nil if the
// query is undefined. A query with more results or variables is an error: use Results.
func (i *Instance) Eval(ctx context.Context, input ast.Value) (*ast.Term, error) {
	results, err := i.Results(ctx, input)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	bindings, ok := results[0].Value.(ast.Object)
	if !ok || len(results) > 1 || bindings.Len() != 1 {
		return nil, errors.New("the query must have exactly one result with one variable")
	}
	return bindings.Get(bindings.Keys()[0]), nil
}

// Results evaluates the plan's query. Each result is an object of variable bindings.
func (i *Instance) Results(ctx context.Context, input ast.Value) ([]*ast.Term, error) {
	m := i.acquire(ctx, input)
	_, e := m.evalEntry(i.program.query)
	results, err := m.results, m.err
	i.release(m)
	if e == failed {
		return nil, err
	}
	return results, nil
}

// EvalRule evaluates one rule, by a name such as data.a.b. It returns nil if the rule is
// undefined, and ErrNoRule if the plan does not contain it.
func (i *Instance) EvalRule(ctx context.Context, name string, input ast.Value) (*ast.Term, error) {
	value, err := i.EvalRuleLazy(ctx, name, input)
	return Materialize(value), err
}

// EvalRuleLazy is EvalRule for callers that read only a part of the value, with [Get] and [Each].
// The value may be lazy: a [LazyObject], [LazyArray] or [LazySet].
func (i *Instance) EvalRuleLazy(ctx context.Context, name string, input ast.Value) (*ast.Term, error) {
	f := i.program.rule(name)
	if f == nil {
		return nil, ErrNoRule
	}
	m := i.acquire(ctx, input)
	value, e := m.evalEntry(f)
	err := m.err
	i.release(m)
	if e == failed {
		return nil, err
	}
	return value, nil
}

// evalEntry evaluates a rule or the query, unless the context has ended already.
func (m *machine) evalEntry(f *function) (*ast.Term, outcome) {
	if m.Cancelled() {
		return nil, m.fail(m.cancelError())
	}
	if f.isRule {
		return m.evalRuleInScope(f)
	}
	return m.invoke(f, m.scope.input, m.scope.data, nil)
}

// acquire returns a machine from the pool, set up for one evaluation.
func (i *Instance) acquire(ctx context.Context, input ast.Value) *machine {
	m, _ := i.machines.Get().(*machine)
	m.ctx = ctx
	var term *ast.Term
	if input != nil {
		term = ast.NewTerm(input)
	}
	m.scope = m.enterScope(term, i.data)
	return m
}

// release clears a machine and returns it to the pool. A panic during the evaluation skips this,
// so the pool never holds a machine in an unknown state.
func (i *Instance) release(m *machine) {
	m.leaveScopes(0)
	m.scope, m.ctx, m.results, m.err, m.returnValue, m.builtinResult, m.steps = nil, nil, nil, nil, nil, nil, 0
	if m.builtinsReady {
		m.builtinContext, m.builtinsReady, m.clockReady = topdown.BuiltinContext{}, false, false
		clear(m.builtinCache)
	}
	i.machines.Put(m)
}

// initBuiltins sets up the context for built-in functions, before the first call in an evaluation.
func (m *machine) initBuiltins() {
	m.builtinsReady = true
	m.builtinContext.Context, m.builtinContext.Cancel, m.builtinContext.Metrics = m.ctx, m, metrics.NoOp()
	m.builtinContext.Seed, m.builtinContext.Cache = rand.Reader, m.builtinCache
	p := m.instance.program
	if p.options.InitContext != nil {
		p.options.InitContext(&m.builtinContext)
	}
}

// initClock sets up what only nondeterministic built-in functions use.
func (m *machine) initClock() {
	if m.clockReady = true; m.builtinContext.Time != nil {
		return // InitContext has set the time
	}
	m.builtinContext.Time = ast.NumberTerm(json.Number(strconv.FormatInt(time.Now().UnixNano(), 10)))
	m.builtinContext.Metrics = metrics.New()
}

// sharedValue returns the value of a data-only rule if an evaluation has computed it before.
// Otherwise, and if shared is false, it returns nil.
func (i *Instance) sharedValue(f *function, shared bool) *sharedValue {
	if !shared {
		return nil
	}
	return i.dataOnlyValues[f.code.slot.Load()].Load()
}

// shareValue stores the value of a data-only rule for all evaluations. It is materialized,
// because evaluations read it concurrently and reading a lazy value changes it.
func (i *Instance) shareValue(f *function, shared bool, value *ast.Term) {
	if shared {
		i.dataOnlyValues[f.code.slot.Load()].Store(&sharedValue{Materialize(value)})
	}
}
