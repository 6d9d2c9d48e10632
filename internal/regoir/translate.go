package regoir

import (
	"strings"
	"sync"
	"sync/atomic"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// code is a function's translation. It is made when the function is first called: most
// functions of a policy are not called for most inputs.
type code struct {
	// slot is where scopes keep the function's value: those of functions that are called lie side by
	// side, and so in few lines of the processor's cache. It is set last; 0 is before.
	slot      atomic.Int32
	frameSize int32
	cheap     bool // remembering its values would take longer than computing them
	body      step
	once      sync.Once
}

// quick reports whether a function is not worth remembering.
func (f *function) cheap() bool { return f.translated().cheap }

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
		f.analysis = nil // it is not needed any more
	}
	f.code.slot.Store(f.program.lastSlot.Add(1))
}

// paths numbers the paths of constants below input and data, which are looked up once for each
// scope.
type pathTable struct {
	mu  sync.Mutex
	ids map[string]int
}

func (p *pathTable) id(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ids == nil {
		p.ids = map[string]int{}
	}
	n, ok := p.ids[name]
	if !ok {
		n = len(p.ids)
		p.ids[name] = n
	}
	return n
}

// translator translates one function. It holds what is known at the statement that is being
// translated.
type translator struct {
	program  *Program
	function *function
	*analysis
	registers  map[ir.Local]int       // of registers
	assigned   map[ir.Local]bool      // locals whose register was given a value by a statement so far
	constants  map[ir.Local]*ast.Term // what locals hold, whatever the input
	aliases    map[ir.Local]ir.Local  // locals that hold what another one holds, and have no register
	baseLocals map[ir.Local]bool      // locals that hold a part of the data, looked up in it
	readCounts map[ir.Local]int       // how often locals are read; nil until it is needed
	loopDepth  int                    // how many iterations are around the statement
	earlyValue *ast.Term              // the only value of the function; nil if there are several
}

func newTranslator(f *function) *translator {
	t := &translator{program: f.program, function: f, analysis: f.analyze(),
		registers: map[ir.Local]int{}, assigned: map[ir.Local]bool{}, constants: map[ir.Local]*ast.Term{}, aliases: map[ir.Local]ir.Local{}, baseLocals: map[ir.Local]bool{}}
	t.earlyValue = t.constant(ir.Operand{Value: t.constantResult})
	return t
}

// body translates the function: its blocks are tried one after another.
func (t *translator) body() step {
	for _, l := range t.function.source.Params {
		t.define(l)
	}
	blocks := t.function.source.Blocks
	steps := make([]step, len(blocks))
	var some []step
	for i, b := range blocks {
		clear(t.constants)
		clear(t.aliases)
		clear(t.baseLocals)
		one := t.block(b.Stmts)
		if steps[i] = one.step(); !one.static {
			some = append(some, steps[i])
		}
	}
	if indexed := t.indexedBody(blocks, steps); indexed != nil {
		return indexed
	}
	if len(some) == 1 {
		return some[0]
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, s := range some {
			if e := s(m, r); e >= returned {
				return e
			}
		}
		return undefined
	}
}

// pathName names a path for the table of paths.
func pathKey(root ir.Local, keys []*lookupSite) string {
	var text strings.Builder
	text.WriteByte(byte(root))
	for _, k := range keys {
		text.WriteByte(0)
		if k.key != nil { // of a place
			text.WriteString(k.key.String())
		}
	}
	return text.String()
}
