package regoir

import (
	"context"
	"hash/maphash"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/topdown"
	"github.com/open-policy-agent/opa/v1/topdown/builtins"
)

// end says how a step, or a block of steps, ended.
type end int

const (
	defined   end = 0       // go on with the next step
	undefined end = 1       // leave the block; undefined+n leaves n blocks around it, too
	returned  end = 1 << 20 // leave the function; machine.value is its value
	failed    end = 1 << 21 // leave the evaluation; machine.err says why
)

// step is a part of a function. Registers hold values by the number of the plan's locals; nil
// is undefined.
type step func(m *machine, r []*ast.Term) end

// machine is the state of one evaluation. Instances keep machines for later evaluations; nothing
// of an evaluation's input stays in them.
type machine struct {
	instance *Instance
	ctx      context.Context
	chunks   [][]*ast.Term // memory of frames
	chunk    int
	top      int
	scope    *scope
	scopes   []*scope // by depth of "with"; the first is that of the evaluation
	spare    []*scope
	value    *ast.Term
	err      error
	results  []*ast.Term
	context  topdown.BuiltinContext
	ready    bool // context is set
	timed    bool // its time and its metrics are
	cache    builtins.Cache
	output   *ast.Term
	collect  func(*ast.Term) error // sets output
	steps    int
	base     []*ast.Term // parts of the instance's data by number of the path; kept for later evaluations
	seed     maphash.Seed
	// undefined stands in scopes for that a rule has no value. Nobody else has it.
	undefined *ast.Term
}

// scope is what is known for one pair of input and data.
type scope struct {
	input, data *ast.Term
	rules       []*ast.Term // by slot of the function; nil if it was not evaluated yet
	most        int32       // the greatest slot that is set in rules
	calls       calls
	paths       []*ast.Term // by number of the path
}

// known is a value, or that there is none.
type known struct {
	value *ast.Term
	is    bool
}

const chunkSize = 4096

func newMachine(i *Instance) *machine {
	m := &machine{instance: i, undefined: new(ast.Term), seed: maphash.MakeSeed(), cache: builtins.Cache{}, chunks: [][]*ast.Term{make([]*ast.Term, chunkSize)}}
	m.collect = func(t *ast.Term) error {
		if m.output = t; t == nil { // a function without a value
			m.output = i.program.yes
		}
		return nil
	}
	return m
}

// frame returns n registers, which are nil.
func (m *machine) frame(n int) []*ast.Term {
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

func (m *machine) fail(err error) end {
	m.err = err
	return failed
}

// Every so many steps the context is looked at: a look costs more than most steps.
const stepsBetweenLooks = 64

// stopped reports whether the evaluation has to end, and sets the error.
func (m *machine) stopped() bool {
	if m.steps++; m.steps < stepsBetweenLooks {
		return false
	}
	m.steps = 0
	return m.Cancelled() && m.fail(m.cancelled()) == failed
}

func (m *machine) cancelled() error {
	return (&topdown.Error{Code: topdown.CancelErr, Message: "caller cancelled query execution"}).Wrap(m.ctx.Err())
}

// Cancel implements [topdown.Cancel] for built-in functions, which only ask.
func (m *machine) Cancel() {}

// Cancelled implements [topdown.Cancel].
func (m *machine) Cancelled() bool { return m.ctx.Err() != nil }

// enter returns the scope of an input and data.
func (m *machine) enter(input, data *ast.Term) *scope {
	for i := len(m.scopes) - 1; i >= 0; i-- {
		if s := m.scopes[i]; s.input == input && s.data == data {
			return s
		}
	}
	var s *scope
	if n := len(m.spare); n > 0 {
		s, m.spare = m.spare[n-1], m.spare[:n-1]
	} else {
		s = &scope{rules: make([]*ast.Term, m.instance.program.room())}
	}
	s.input, s.data = input, data
	m.scopes = append(m.scopes, s)
	return s
}

// leave forgets the scopes that were entered since there were n.
func (m *machine) leave(n int) {
	for _, s := range m.scopes[n:] {
		clear(s.rules[:s.most+1])
		s.most = 0
		clear(s.paths)
		s.calls.forget()
		s.input, s.data = nil, nil
		m.spare = append(m.spare, s)
	}
	clear(m.scopes[n:])
	m.scopes = m.scopes[:n]
}

// rule returns the value of a rule, nil if it is undefined.
func (m *machine) rule(f *function, input, data *ast.Term) (*ast.Term, end) {
	outer := m.scope
	if outer.input != input || outer.data != data {
		m.scope = m.enter(input, data)
		value, e := m.ruleHere(f)
		m.scope = outer
		return value, e
	}
	return m.ruleHere(f)
}

// ruleHere is rule for the input and data of the scope.
func (m *machine) ruleHere(f *function) (*ast.Term, end) {
	s := m.scope
	if k := s.rules[f.code.slot.Load()]; k != nil {
		return m.valueOf(k), defined
	}
	shared := f.dataOnly && s.data == m.instance.data
	var value *ast.Term
	e := defined
	if kept := m.instance.kept(f, shared); kept != nil {
		value = kept.value
	} else {
		if value, e = m.run(f, s.input, s.data, nil); e != defined {
			return nil, e
		}
		m.instance.keep(f, shared, value)
	}
	slot := f.compiled().slot.Load()
	if s.most = max(s.most, slot); value != nil {
		s.rules[slot] = value
	} else {
		s.rules[slot] = m.undefined
	}
	return value, defined
}

// valueOf is the value of a rule by what a scope keeps of it.
func (m *machine) valueOf(kept *ast.Term) *ast.Term {
	if kept == m.undefined {
		return nil
	}
	return kept
}

// run runs a function.
func (m *machine) run(f *function, input, data *ast.Term, args []*ast.Term) (*ast.Term, end) {
	if m.stopped() {
		return nil, failed
	}
	code := f.compiled()
	chunk, top := m.chunk, m.top
	r := m.frame(int(code.registers))
	r[0], r[1] = input, data // registers of parameters come first, in order
	copy(r[2:], args)
	e := code.body(m, r)
	clear(r)
	m.chunk, m.top = chunk, top
	switch e {
	case failed:
		return nil, failed
	case returned:
		value := m.value
		m.value = nil
		return value, defined
	}
	return nil, defined
}
