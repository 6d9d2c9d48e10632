package regoir

import (
	"context"
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

// end says how a step, or a block of steps, ended.
type outcome int

const (
	defined   outcome = 0       // go on with the next step
	undefined outcome = 1       // leave the block; undefined+n leaves n blocks around it, too
	returned  outcome = 1 << 20 // leave the function; machine.value is its value
	failed    outcome = 1 << 21 // leave the evaluation; machine.err says why
)

// step is a part of a function. Registers hold values by the number of the plan's locals; nil
// is undefined.
type step func(m *machine, r []*ast.Term) outcome

// machine is the state of one evaluation. Instances keep machines for later evaluations; nothing
// of an evaluation's input stays in them.
type machine struct {
	instance       *Instance
	ctx            context.Context
	chunks         [][]*ast.Term // memory of frames
	chunk          int
	top            int
	scope          *scope
	scopes         []*scope // by depth of "with"; the first is that of the evaluation
	freeScopes     []*scope
	returnValue    *ast.Term
	err            error
	results        []*ast.Term
	builtinContext topdown.BuiltinContext
	builtinsReady  bool // context is set
	clockReady     bool // its time and its metrics are
	builtinCache   builtins.Cache
	builtinResult  *ast.Term
	collectResult  func(*ast.Term) error // sets output
	steps          int
	dataPaths      []*ast.Term // parts of the instance's data by number of the path; kept for later evaluations
	hashSeed       maphash.Seed
	// undefined stands in scopes for that a rule has no value. Nobody else has it.
	undefinedMark *ast.Term
}

// scope is what is known for one pair of input and data.
type scope struct {
	input, data *ast.Term
	ruleValues  []*ast.Term // by slot of the function; nil if it was not evaluated yet
	maxSlot     int32       // the greatest slot that is set in rules
	memo        memoTable
	inputPaths  []*ast.Term // by number of the path
}

// sharedValue is a value, nil for undefined.
type sharedValue struct{ value *ast.Term }

const chunkSize = 4096

func newMachine(i *Instance) *machine {
	m := &machine{instance: i, undefinedMark: new(ast.Term), hashSeed: maphash.MakeSeed(), builtinCache: builtins.Cache{}, chunks: [][]*ast.Term{make([]*ast.Term, chunkSize)}}
	m.collectResult = func(t *ast.Term) error {
		if m.builtinResult = t; t == nil { // a function without a value
			m.builtinResult = i.program.trueTerm
		}
		return nil
	}
	return m
}

// frame returns n registers, which are nil.
func (m *machine) allocFrame(n int) []*ast.Term {
	for m.top+n > len(m.chunks[m.chunk]) {
		if m.chunk++; m.chunk == len(m.chunks) {
			m.chunks = append(m.chunks, make([]*ast.Term, max(chunkSize, n)))
		} else if len(m.chunks[m.chunk]) < n {
			m.chunks[m.chunk] = make([]*ast.Term, n)
		}
		m.top = 0
	}
	r := m.chunks[m.chunk][m.top : m.top+n : m.top+n]
	m.top += n
	return r
}

func (m *machine) fail(err error) outcome {
	m.err = err
	return failed
}

// Every so many steps the context is looked at: a look costs more than most steps.
const cancelCheckInterval = 64

// stopped reports whether the evaluation has to end, and sets the error.
func (m *machine) interrupted() bool {
	if m.steps++; m.steps < cancelCheckInterval {
		return false
	}
	m.steps = 0
	return m.Cancelled() && m.fail(m.cancelError()) == failed
}

func (m *machine) cancelError() error {
	return (&topdown.Error{Code: topdown.CancelErr, Message: "caller cancelled query execution"}).Wrap(m.ctx.Err())
}

// Cancel implements [topdown.Cancel] for built-in functions, which only ask.
func (m *machine) Cancel() {}

// Cancelled implements [topdown.Cancel].
func (m *machine) Cancelled() bool { return m.ctx.Err() != nil }

// enter returns the scope of an input and data.
func (m *machine) enterScope(input, data *ast.Term) *scope {
	for i := len(m.scopes) - 1; i >= 0; i-- {
		if s := m.scopes[i]; s.input == input && s.data == data {
			return s
		}
	}
	var s *scope
	if n := len(m.freeScopes); n > 0 {
		s, m.freeScopes = m.freeScopes[n-1], m.freeScopes[:n-1]
	} else {
		s = &scope{ruleValues: make([]*ast.Term, m.instance.program.numSlots())}
	}
	s.input, s.data = input, data
	m.scopes = append(m.scopes, s)
	return s
}

// leave forgets the scopes that were entered since there were n.
func (m *machine) leaveScopes(n int) {
	for _, s := range m.scopes[n:] {
		clear(s.ruleValues[:s.maxSlot+1])
		s.maxSlot = 0
		clear(s.inputPaths)
		s.memo.reset()
		s.input, s.data = nil, nil
		m.freeScopes = append(m.freeScopes, s)
	}
	clear(m.scopes[n:])
	m.scopes = m.scopes[:n]
}

// rule returns the value of a rule, nil if it is undefined.
func (m *machine) evalRule(f *function, input, data *ast.Term) (*ast.Term, outcome) {
	outer := m.scope
	if outer.input != input || outer.data != data {
		m.scope = m.enterScope(input, data)
		value, e := m.evalRuleInScope(f)
		m.scope = outer
		return value, e
	}
	return m.evalRuleInScope(f)
}

// ruleHere is rule for the input and data of the scope.
func (m *machine) evalRuleInScope(f *function) (*ast.Term, outcome) {
	s := m.scope
	if k := s.ruleValues[f.code.slot.Load()]; k != nil {
		return m.ruleValue(k), defined
	}
	shared := f.dataOnly && s.data == m.instance.data
	var value *ast.Term
	e := defined
	if kept := m.instance.sharedValue(f, shared); kept != nil {
		value = kept.value
	} else {
		if value, e = m.invoke(f, s.input, s.data, nil); e != defined {
			return nil, e
		}
		m.instance.shareValue(f, shared, value)
	}
	slot := f.translated().slot.Load()
	if s.maxSlot = max(s.maxSlot, slot); value != nil {
		s.ruleValues[slot] = value
	} else {
		s.ruleValues[slot] = m.undefinedMark
	}
	return value, defined
}

// valueOf is the value of a rule by what a scope keeps of it.
func (m *machine) ruleValue(kept *ast.Term) *ast.Term {
	if kept == m.undefinedMark {
		return nil
	}
	return kept
}

// run runs a function.
func (m *machine) invoke(f *function, input, data *ast.Term, args []*ast.Term) (*ast.Term, outcome) {
	if m.interrupted() {
		return nil, failed
	}
	code := f.translated()
	chunk, top := m.chunk, m.top
	r := m.allocFrame(int(code.frameSize))
	r[0], r[1] = input, data // registers of parameters come first, in order
	copy(r[2:], args)
	e := code.body(m, r)
	clear(r)
	m.chunk, m.top = chunk, top
	switch e {
	case failed:
		return nil, failed
	case returned:
		value := m.returnValue
		m.returnValue = nil
		return value, defined
	}
	return nil, defined
}
