package regoir

import (
	"context"
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

// machine is the state of one evaluation. An Instance reuses its machines; between evaluations
// they hold nothing of an input.
type machine struct {
	instance       *Instance
	ctx            context.Context
	chunks         [][]*ast.Term // the stack of register frames
	chunk          int           // index of the chunk with the topmost frame
	top            int           // where the free part of that chunk begins
	scope          *scope
	scopes         []*scope // the evaluation's own scope, then those that a "with" entered
	freeScopes     []*scope
	returnValue    *ast.Term
	err            error
	results        []*ast.Term
	builtinContext topdown.BuiltinContext
	builtinsReady  bool // builtinContext is set up
	clockReady     bool // its time and metrics are, too
	builtinCache   builtins.Cache
	builtinResult  *ast.Term
	collectResult  func(*ast.Term) error // sets builtinResult
	steps          int                   // calls and iterations since the context was last checked
	dataPaths      []*ast.Term           // values in the instance's data, by path id; kept between evaluations
	hashSeed       maphash.Seed
	// undefinedMark stands in a scope for the value of a rule that is undefined. It is never
	// passed on.
	undefinedMark *ast.Term
}

// scope caches what was computed for one pair of input and data.
type scope struct {
	input, data *ast.Term
	ruleValues  []*ast.Term // by slot; nil until the rule is evaluated
	maxSlot     int32       // the greatest slot in use
	memo        memoTable
	inputPaths  []*ast.Term // values in the input, by path id
}

const chunkSize = 4096

func newMachine(i *Instance) *machine {
	m := &machine{instance: i, undefinedMark: new(ast.Term), hashSeed: maphash.MakeSeed(), builtinCache: builtins.Cache{}, chunks: [][]*ast.Term{make([]*ast.Term, chunkSize)}}
	m.collectResult = func(t *ast.Term) error {
		if m.builtinResult = t; t == nil { // a function that returns nothing, such as print
			m.builtinResult = i.program.trueTerm
		}
		return nil
	}
	return m
}

// evalRule returns the value of a rule for an input and data, or nil if it is undefined.
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

// evalRuleInScope is evalRule for the input and data of the current scope.
func (m *machine) evalRuleInScope(f *function) (*ast.Term, outcome) {
	s := m.scope
	if v := s.ruleValues[f.code.slot.Load()]; v != nil {
		return m.ruleValue(v), defined
	}
	shared := f.dataOnly && s.data == m.instance.data
	var value *ast.Term
	e := defined
	if v := m.instance.sharedValue(f, shared); v != nil {
		value = v.value
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

// ruleValue returns the value of a rule for its entry in a scope.
func (m *machine) ruleValue(entry *ast.Term) *ast.Term {
	if entry == m.undefinedMark {
		return nil
	}
	return entry
}

// invoke runs the code of a function in a new frame. It returns nil if the function is undefined.
func (m *machine) invoke(f *function, input, data *ast.Term, args []*ast.Term) (*ast.Term, outcome) {
	if m.interrupted() {
		return nil, failed
	}
	code := f.translated()
	chunk, top := m.chunk, m.top
	r := m.allocFrame(int(code.frameSize))
	r[0], r[1] = input, data // the parameters have the first registers
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

// allocFrame pushes a frame of n registers, which are nil.
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

// enterScope returns the scope for an input and data.
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

// leaveScopes clears all scopes but the first n.
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

func (m *machine) fail(err error) outcome {
	m.err = err
	return failed
}

// cancelCheckInterval is the number of calls and iterations between two checks of the context. A
// check costs more than most steps.
const cancelCheckInterval = 64

// interrupted counts a call or iteration. It reports whether the evaluation must stop because its
// context has ended, and sets the error.
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

// Cancel implements [topdown.Cancel] for built-in functions. They only call Cancelled.
func (m *machine) Cancel() {}

// Cancelled implements [topdown.Cancel].
func (m *machine) Cancelled() bool { return m.ctx.Err() != nil }
