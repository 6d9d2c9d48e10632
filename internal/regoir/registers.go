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

func (o operand) of(r []*ast.Term) *ast.Term {
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
	n, ok := t.numbers[l]
	if !ok {
		n = len(t.numbers)
		t.numbers[l] = n
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
func (t *translator) target(l ir.Local) int {
	t.unknown(l)
	t.set[l] = true
	return t.register(l)
}

// unknown forgets what is known of a local.
func (t *translator) unknown(l ir.Local) {
	delete(t.constants, l)
	delete(t.aliases, l)
	delete(t.base, l)
}

// finder is how members of a local are looked up.
func (t *translator) finder(o ir.Operand) func(source, key *ast.Term) *ast.Term {
	if t.isBase(o) {
		return lookupBase
	}
	return lookup
}

func (t *translator) isBase(o ir.Operand) bool {
	l, ok := o.Value.(ir.Local)
	return ok && (l == ir.Data || t.base[l])
}

// nothing reports whether a local certainly holds nothing.
func (t *translator) nothing(l ir.Local) bool {
	_, other := t.aliases[l]
	return !other && t.constants[l] == nil && !t.set[l] && t.loops == 0
}

// store puts a constant into a local. Statements that read a scoped local have the constant.
func (t *translator) store(l ir.Local, k *ast.Term) step {
	if t.scoped[l] {
		t.unknown(l)
		t.constants[l] = k
		return nil
	}
	to := t.target(l)
	t.constants[l] = k
	return func(_ *machine, r []*ast.Term) outcome {
		r[to] = k
		return defined
	}
}

// forget drops what is known of locals that statements write.
func (t *translator) forget(s ir.Stmt) {
	for _, b := range nested(s) {
		written(b.Stmts, t.unknown)
	}
}

// alias notes that a statement makes a local hold what another one holds, if it does so and both
// hold it as long as it is read, which is in the rest of the block.
func (t *translator) alias(s ir.Stmt, rest []ir.Stmt) bool {
	assign, ok := s.(*ir.AssignVarStmt)
	if !ok || !t.scoped[assign.Target] || t.constant(assign.Source) != nil {
		return false
	}
	from, ok := assign.Source.Value.(ir.Local)
	if !ok || from == assign.Target || rewritten(rest, from) {
		return false
	}
	if other, ok := t.aliases[from]; ok {
		from = other
	}
	t.unknown(assign.Target)
	t.aliases[assign.Target] = from
	return true
}
