package regoir

import (
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// code is the translation of a function. A function is translated when it is first called, because
// an input calls few of the functions of a policy.
type code struct {
	// slot is the index of the function's value in a scope. Slots are assigned in the order of
	// translation, so that the values of the functions in use lie in few cache lines. The slot is
	// set last: it is 0 until the translation is complete.
	slot      atomic.Int32
	frameSize int32
	cheap     bool // see analysis.cheap
	body      step
	once      sync.Once
}

func (f *function) cheap() bool { return f.translated().cheap }

// translated returns the function's code.
func (f *function) translated() *code {
	if f.code.slot.Load() == 0 {
		f.code.once.Do(f.translate)
	}
	return &f.code
}

func (f *function) translate() {
	if err := f.decodeBody(); err != nil {
		f.code.body = func(m *machine, _ []*ast.Term) outcome { return m.fail(err) }
		f.code.frameSize = int32(len(f.source.Params))
	} else {
		t := newTranslator(f)
		f.code.body = t.body()
		f.code.frameSize, f.code.cheap = int32(len(t.registers)), t.cheap
		f.analysis = nil // is not needed again
	}
	f.code.slot.Store(f.program.lastSlot.Add(1))
}

// translator translates one function. Its maps hold what is known about locals at the statement that
// is being translated.
type translator struct {
	program  *Program
	function *function
	*analysis
	registers  map[ir.Local]int       // grows when a local is first used
	assigned   map[ir.Local]bool      // locals to whose register an earlier statement may have written
	constants  map[ir.Local]*ast.Term // locals that hold a constant
	aliases    map[ir.Local]ir.Local  // locals that are copies of another one, and share its register
	baseLocals map[ir.Local]bool      // locals that hold a part of data itself, not the value of a rule
	readCounts map[ir.Local]int       // number of reads in the function; nil until it is needed
	loopDepth  int                    // number of iterations around the statement
	earlyValue *ast.Term              // the value of analysis.constantResult
}

func newTranslator(f *function) *translator {
	t := &translator{program: f.program, function: f, analysis: f.analyze(),
		registers: map[ir.Local]int{}, assigned: map[ir.Local]bool{}, constants: map[ir.Local]*ast.Term{}, aliases: map[ir.Local]ir.Local{}, baseLocals: map[ir.Local]bool{}}
	t.earlyValue = t.constant(ir.Operand{Value: t.constantResult})
	return t
}

// body translates the function. Its blocks run one after another, until one of them returns.
func (t *translator) body() step {
	for _, l := range t.function.source.Params {
		t.define(l)
	}
	blocks := t.function.source.Blocks
	steps := make([]step, len(blocks))
	var effective []step
	for i, b := range blocks {
		clear(t.constants)
		clear(t.aliases)
		clear(t.baseLocals)
		code := t.block(b.Stmts)
		if steps[i] = code.step(); !code.static {
			effective = append(effective, steps[i])
		}
	}
	if indexed := t.indexedBody(blocks, steps); indexed != nil {
		return indexed
	}
	if len(effective) == 1 {
		return effective[0]
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, s := range effective {
			if e := s(m, r); e >= returned {
				return e
			}
		}
		return undefined
	}
}
