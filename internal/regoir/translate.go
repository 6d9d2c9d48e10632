package regoir

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// code is a function's translation. It is made when the function is first called: most
// functions of a policy are not called for most inputs.
type code struct {
	once      sync.Once
	body      step
	registers int
}

func (f *function) compiled() (body step, registers int) {
	f.code.once.Do(func() {
		if err := f.restored(); err != nil {
			f.code.body = func(m *machine, _ []*ast.Term) end { return m.fail(err) }
			f.code.registers = int(slices.Max(f.source.Params)) + 1
			return
		}
		t := &translator{program: f.program, function: f, shapes: shapesOf(f.source), constants: map[ir.Local]*ast.Term{}, base: map[ir.Local]bool{}}
		t.early, t.result = earlyResult(f)
		f.code.body = t.body()
		f.code.registers = t.highest + 1
	})
	return f.code.body, f.code.registers
}

// paths numbers the paths of constants below input and data, which are looked up once for each
// scope.
type paths struct {
	mu      sync.Mutex
	numbers map[string]int
}

func (p *paths) number(name string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.numbers == nil {
		p.numbers = map[string]int{}
	}
	n, ok := p.numbers[name]
	if !ok {
		n = len(p.numbers)
		p.numbers[name] = n
	}
	return n
}

// translator translates one function. It holds what is known at the statement that is being
// translated.
type translator struct {
	program   *Program
	function  *function
	shapes    *shapes
	highest   int                    // register
	constants map[ir.Local]*ast.Term // what registers hold, whatever the input
	base      map[ir.Local]bool      // registers that hold a part of the data, looked up in it
	early     *ast.Term              // the only value of the function; nil if there are several
	result    ir.Local               // of the rules, before they are compared
}

// operand is a constant or a register.
type operand struct {
	constant *ast.Term
	register int
}

func (o operand) of(r []*ast.Term) *ast.Term {
	if o.constant != nil {
		return o.constant
	}
	return r[o.register]
}

// register of a local.
func (t *translator) register(l ir.Local) int {
	t.highest = max(t.highest, int(l))
	return int(l)
}

func (t *translator) operand(o ir.Operand) operand {
	if k := t.constant(o); k != nil {
		return operand{constant: k}
	}
	if l, ok := o.Value.(ir.Local); ok {
		return operand{register: t.register(l)}
	}
	return operand{}
}

func (t *translator) operands(list []ir.Operand) []operand {
	translated := make([]operand, len(list))
	for i, o := range list {
		translated[i] = t.operand(o)
	}
	return translated
}

// constant is what an operand is whatever the input, nil if that is not known.
func (t *translator) constant(o ir.Operand) *ast.Term {
	switch v := o.Value.(type) {
	case ir.Bool:
		if v {
			return t.program.yes
		}
		return t.program.no
	case ir.StringIndex:
		return t.program.strings[v]
	case ir.Local:
		return t.constants[v]
	}
	return nil
}

// target is the register of a local that gets a value that is not known now.
func (t *translator) target(l ir.Local) int {
	delete(t.constants, l)
	delete(t.base, l)
	return t.register(l)
}

// finder is how members of a local are looked up.
func (t *translator) finder(o ir.Operand) func(source, key *ast.Term) *ast.Term {
	if t.isBase(o) {
		return lookInData
	}
	return look
}

func (t *translator) isBase(o ir.Operand) bool {
	l, ok := o.Value.(ir.Local)
	return ok && (l == ir.Data || t.base[l])
}

// store puts a constant into a local.
func (t *translator) store(l ir.Local, k *ast.Term) step {
	to := t.target(l)
	t.constants[l] = k
	return func(_ *machine, r []*ast.Term) end {
		r[to] = k
		return defined
	}
}

// forget drops what is known of locals that statements write.
func (t *translator) forget(s ir.Stmt) {
	for _, b := range nested(s) {
		written(b.Stmts, func(l ir.Local) { t.target(l) })
	}
}

// inside translates a block inside of a statement. What it learns does not hold outside.
func (t *translator) inside(b *ir.Block) step {
	constants, base := maps.Clone(t.constants), maps.Clone(t.base)
	translated := t.block(b.Stmts)
	t.constants, t.base = constants, base
	return translated
}

// block translates statements that follow one another.
func (t *translator) block(stmts []ir.Stmt) step {
	var steps []step
	for i := 0; i < len(stmts); i++ {
		s := stmts[i]
		if n, fused := t.fused(stmts[i:]); n > 0 {
			steps = append(steps, fused)
			i += n - 1
			continue
		}
		if len(nested(s)) > 0 {
			t.forget(s)
		}
		if one := t.statement(s); one != nil {
			steps = append(steps, one)
		}
		for _, m := range t.shapes.ends[s] {
			steps = append(steps, t.finish(m))
		}
	}
	return sequence(steps)
}

// sequence is one step for several.
func sequence(steps []step) step {
	switch len(steps) {
	case 0:
		return func(*machine, []*ast.Term) end { return defined }
	case 1:
		return steps[0]
	case 2:
		first, second := steps[0], steps[1]
		return func(m *machine, r []*ast.Term) end {
			if e := first(m, r); e != defined {
				return e
			}
			return second(m, r)
		}
	case 3:
		first, second, third := steps[0], steps[1], steps[2]
		return func(m *machine, r []*ast.Term) end {
			if e := first(m, r); e != defined {
				return e
			}
			if e := second(m, r); e != defined {
				return e
			}
			return third(m, r)
		}
	}
	return func(m *machine, r []*ast.Term) end {
		for _, s := range steps {
			if e := s(m, r); e != defined {
				return e
			}
		}
		return defined
	}
}

// body translates the function: its blocks are tried one after another.
func (t *translator) body() step {
	for _, l := range t.function.source.Params {
		t.register(l)
	}
	t.register(max(t.function.source.Return, 0))
	blocks := t.function.source.Blocks
	steps := make([]step, len(blocks))
	for i, b := range blocks {
		clear(t.constants)
		clear(t.base)
		steps[i] = t.block(b.Stmts)
	}
	if indexed := t.indexed(blocks, steps); indexed != nil {
		return indexed
	}
	return func(m *machine, r []*ast.Term) end {
		for _, s := range steps {
			if e := s(m, r); e >= returned {
				return e
			}
		}
		return undefined
	}
}

// earlyResult is the constant that all rules of a function yield, and the local they assign it
// to: when one rule holds, the others need not be evaluated. That is not so for "else", which
// topdown evaluates in order.
func earlyResult(f *function) (*ast.Term, ir.Local) {
	const none = ir.Local(-1)
	result, value, good := none, ir.Val(nil), true
	eachOf(f.source.Blocks, func(s ir.Stmt) {
		once, ok := s.(*ir.AssignVarOnceStmt)
		if !ok {
			return
		}
		source, isLocal := once.Source.Value.(ir.Local)
		switch {
		case once.Target == f.source.Return && isLocal:
			good = good && (result == none || result == source)
			result = source
		case once.Target == f.source.Return: // the default
		case value == nil || value == once.Source.Value:
			value = once.Source.Value
		default:
			good = false
		}
	})
	for _, b := range f.source.Blocks {
		for _, s := range b.Stmts {
			if once, ok := s.(*ir.AssignVarOnceStmt); ok && once.Target == result {
				continue
			}
			if orElse, ok := s.(*ir.BlockStmt); ok && assigns(orElse, result) && len(b.Stmts) == 1 {
				good = false
			}
		}
	}
	if !good || result == none {
		return nil, none
	}
	switch v := value.(type) {
	case ir.Bool:
		return ast.InternedTerm(bool(v)), result
	case ir.StringIndex:
		return f.program.strings[v], result
	}
	return nil, none
}

func assigns(s ir.Stmt, l ir.Local) bool {
	found := false
	each([]ir.Stmt{s}, func(s ir.Stmt) {
		if once, ok := s.(*ir.AssignVarOnceStmt); ok && once.Target == l {
			found = true
		}
	})
	return found
}

// pathName names a path for the table of paths.
func pathName(root ir.Local, keys []*name) string {
	var text strings.Builder
	text.WriteByte(byte(root))
	for _, k := range keys {
		text.WriteByte(0)
		text.WriteString(k.key.String())
	}
	return text.String()
}
