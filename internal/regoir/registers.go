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

// constant returns the constant that an operand is known to hold, or nil.
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

// register returns the register of a local.
func (t *translator) register(l ir.Local) int {
	if original, ok := t.aliases[l]; ok {
		l = original
	}
	n, ok := t.registers[l]
	if !ok {
		n = len(t.registers)
		t.registers[l] = n
	}
	return n
}

// define returns the register for a new value of a local, about which nothing is known.
func (t *translator) define(l ir.Local) int {
	t.kill(l)
	t.assigned[l] = true
	return t.register(l)
}

// kill drops what is known about a local.
func (t *translator) kill(l ir.Local) {
	delete(t.constants, l)
	delete(t.aliases, l)
	delete(t.baseLocals, l)
}

// killWritten drops what is known about the locals that are written in the blocks of a statement.
func (t *translator) killWritten(s ir.Stmt) {
	for _, b := range subBlocks(s) {
		visitWrites(b.Stmts, t.kill)
	}
}

// storeConstant translates the assignment of a constant. A block-local needs no step for it: the
// statements that read the local use the constant instead.
func (t *translator) storeConstant(l ir.Local, k *ast.Term) step {
	if t.blockLocal[l] {
		t.kill(l)
		t.constants[l] = k
		return nil
	}
	dst := t.define(l)
	t.constants[l] = k
	return func(_ *machine, r []*ast.Term) outcome {
		r[dst] = k
		return defined
	}
}

// propagateCopy makes the target of an assignment an alias of its source, if neither changes in the
// rest of the block. It reports whether it did, so that the assignment needs no step.
func (t *translator) propagateCopy(s ir.Stmt, rest []ir.Stmt) bool {
	assign, ok := s.(*ir.AssignVarStmt)
	if !ok || !t.blockLocal[assign.Target] || t.constant(assign.Source) != nil {
		return false
	}
	source, ok := assign.Source.Value.(ir.Local)
	if !ok || source == assign.Target || isWritten(rest, source) {
		return false
	}
	if original, ok := t.aliases[source]; ok {
		source = original
	}
	t.kill(assign.Target)
	t.aliases[assign.Target] = source
	return true
}

// isUndefined reports whether a local is certainly undefined: no statement so far has assigned it,
// and none can in an earlier iteration.
func (t *translator) isUndefined(l ir.Local) bool {
	_, isAlias := t.aliases[l]
	return !isAlias && t.constants[l] == nil && !t.assigned[l] && t.loopDepth == 0
}

// lookupFunc returns the function that looks up members of an operand.
func (t *translator) lookupFunc(o ir.Operand) func(source, key *ast.Term) *ast.Term {
	if t.isBase(o) {
		return lookupBase
	}
	return lookup
}

// isBase reports whether an operand is data or a part of it.
func (t *translator) isBase(o ir.Operand) bool {
	l, ok := o.Value.(ir.Local)
	return ok && (l == ir.Data || t.baseLocals[l])
}
