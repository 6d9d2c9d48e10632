package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// operand is a constant or a register.
type operand struct {
	constant *ast.Term
	register int
}

func (o operand) load(r []*ast.Term) *ast.Term {
	if o.constant != nil {
		return o.constant
	}
	return r[o.register]
}

// register of a local that is read.
func (t *translator) register(l ir.Local) int {
	if other, ok := t.aliases[l]; ok {
		l = other
	}
	n, ok := t.registers[l]
	if !ok {
		n = len(t.registers)
		t.registers[l] = n
	}
	return n
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
			return t.program.trueTerm
		}
		return t.program.falseTerm
	case ir.StringIndex:
		return t.program.strings[v]
	case ir.Local:
		return t.constants[v]
	}
	return nil
}

// target is the register of a local that gets a value that is not known now.
func (t *translator) define(l ir.Local) int {
	t.kill(l)
	t.assigned[l] = true
	return t.register(l)
}

// unknown forgets what is known of a local.
func (t *translator) kill(l ir.Local) {
	delete(t.constants, l)
	delete(t.aliases, l)
	delete(t.baseLocals, l)
}

// finder is how members of a local are looked up.
func (t *translator) lookupFunc(o ir.Operand) func(source, key *ast.Term) *ast.Term {
	if t.isBase(o) {
		return lookupBase
	}
	return lookup
}

func (t *translator) isBase(o ir.Operand) bool {
	l, ok := o.Value.(ir.Local)
	return ok && (l == ir.Data || t.baseLocals[l])
}

// nothing reports whether a local certainly holds nothing.
func (t *translator) isUndefined(l ir.Local) bool {
	_, other := t.aliases[l]
	return !other && t.constants[l] == nil && !t.assigned[l] && t.loopDepth == 0
}

// store puts a constant into a local. Statements that read a scoped local have the constant.
func (t *translator) storeConstant(l ir.Local, k *ast.Term) step {
	if t.blockLocal[l] {
		t.kill(l)
		t.constants[l] = k
		return nil
	}
	to := t.define(l)
	t.constants[l] = k
	return func(_ *machine, r []*ast.Term) outcome {
		r[to] = k
		return defined
	}
}

// forget drops what is known of locals that statements write.
func (t *translator) killWritten(s ir.Stmt) {
	for _, b := range subBlocks(s) {
		visitWrites(b.Stmts, t.kill)
	}
}

// alias notes that a statement makes a local hold what another one holds, if it does so and both
// hold it as long as it is read, which is in the rest of the block.
func (t *translator) propagateCopy(s ir.Stmt, rest []ir.Stmt) bool {
	assign, ok := s.(*ir.AssignVarStmt)
	if !ok || !t.blockLocal[assign.Target] || t.constant(assign.Source) != nil {
		return false
	}
	from, ok := assign.Source.Value.(ir.Local)
	if !ok || from == assign.Target || isWritten(rest, from) {
		return false
	}
	if other, ok := t.aliases[from]; ok {
		from = other
	}
	t.kill(assign.Target)
	t.aliases[assign.Target] = from
	return true
}
