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

// ErrNoRule is the error of EvalRule for a rule that the plan does not contain.
var ErrNoRule = errors.New("the plan has no such rule")

// Instance is a program with its data. It is safe for concurrent use.
type Instance struct {
	program        *Program
	data           *ast.Term
	dataOnlyValues []atomic.Pointer[sharedValue] // of rules that depend on data only, by slot
	machines       sync.Pool
	prefilters     sync.Map // by iteration
}

// Bind returns an instance for data, an object that nobody changes any more. It does no work:
// rules that depend on data only are evaluated when they are first needed.
func (p *Program) Bind(data ast.Value) *Instance {
	i := &Instance{program: p, data: ast.NewTerm(data), dataOnlyValues: newSharedValues(p.numSlots())}
	i.machines.New = func() any { return newMachine(i) }
	return i
}

func newSharedValues(n int) []atomic.Pointer[sharedValue] {
	return make([]atomic.Pointer[sharedValue], n)
}

// Eval evaluates the plan's query for an input, nil for none. The value is that of the query's
// only variable, as rego gives a query that is one term; nil if the query is undefined. A query
// with several results or variables is an error; use Results.
func (i *Instance) Eval(ctx context.Context, input ast.Value) (*ast.Term, error) {
	results, err := i.Results(ctx, input)
	if err != nil || len(results) == 0 {
		return nil, err
	}
	bindings, ok := results[0].Value.(ast.Object)
	if !ok || len(results) > 1 || bindings.Len() != 1 {
		return nil, errors.New("the query has not exactly one result of one value")
	}
	return bindings.Get(bindings.Keys()[0]), nil
}

// Results evaluates the plan's query, and returns an object of variables for each result.
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

// EvalRule evaluates one rule, named as data.a.b, and returns its value, nil if it is
// undefined. The error is ErrNoRule if the plan does not contain it.
func (i *Instance) EvalRule(ctx context.Context, name string, input ast.Value) (*ast.Term, error) {
	value, err := i.EvalRuleLazy(ctx, name, input)
	return Materialize(value), err
}

// EvalRuleDeferred is EvalRule for a value of which only a part is read, by [Field] and [Each]: it
// may be an [Object], [Array] or [Set].
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

// start runs a function of the plan, if the context has not ended yet.
func (m *machine) evalEntry(f *function) (*ast.Term, outcome) {
	if m.Cancelled() {
		return nil, m.fail(m.cancelError())
	}
	if f.isRule {
		return m.evalRuleInScope(f)
	}
	return m.invoke(f, m.scope.input, m.scope.data, nil)
}

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

// done empties a machine, and keeps it. One that panicked does not get here.
func (i *Instance) release(m *machine) {
	m.leaveScopes(0)
	m.scope, m.ctx, m.results, m.err, m.returnValue, m.builtinResult, m.steps = nil, nil, nil, nil, nil, nil, 0
	if m.builtinsReady {
		m.builtinContext, m.builtinsReady, m.clockReady = topdown.BuiltinContext{}, false, false
		clear(m.builtinCache)
	}
	i.machines.Put(m)
}

// prepare sets what built-in functions may use, before the first of an evaluation.
func (m *machine) initBuiltins() {
	m.builtinsReady = true
	m.builtinContext.Context, m.builtinContext.Cancel, m.builtinContext.Metrics = m.ctx, m, metrics.NoOp()
	m.builtinContext.Seed, m.builtinContext.Cache = rand.Reader, m.builtinCache
	p := m.instance.program
	if p.options.InitContext != nil {
		p.options.InitContext(&m.builtinContext)
	}
}

// prepareTime sets what only functions may use that depend on more than their arguments.
func (m *machine) initClock() {
	if m.clockReady = true; m.builtinContext.Time != nil {
		return // Options.Context has set it
	}
	m.builtinContext.Time = ast.NumberTerm(json.Number(strconv.FormatInt(time.Now().UnixNano(), 10)))
	m.builtinContext.Metrics = metrics.New()
}

// kept is the value of a rule that another evaluation left.
func (i *Instance) sharedValue(f *function, shared bool) *sharedValue {
	if !shared {
		return nil
	}
	return i.dataOnlyValues[f.code.slot.Load()].Load()
}

// keep keeps a value for other evaluations, which may read it at the same time.
func (i *Instance) shareValue(f *function, shared bool, value *ast.Term) {
	if shared {
		i.dataOnlyValues[f.code.slot.Load()].Store(&sharedValue{Materialize(value)})
	}
}
