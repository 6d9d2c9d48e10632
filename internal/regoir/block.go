package regoir

import (
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// inside translates a block inside of a statement. What it learns does not hold outside.
func (t *translator) nestedBlock(b *ir.Block) blockCode {
	constants, aliases, base := maps.Clone(t.constants), maps.Clone(t.aliases), maps.Clone(t.baseLocals)
	translated := t.block(b.Stmts)
	t.constants, t.aliases, t.baseLocals = constants, aliases, base
	return translated
}

// part is a translated block. Whatever the input, fixed ends are known: the block does nothing
// else.
type blockCode struct {
	steps   []step
	inlined []int // where the steps of blocks begin with which the block ends
	static  bool
	outcome outcome
}

// step is the one of the block.
func (p blockCode) step() step {
	if p.static {
		return always(p.outcome)
	}
	return sequence(p.steps, p.inlined)
}

// join adds the steps of a statement with one block, with which the block ends.
func (p *blockCode) inlineTail(last blockCode) {
	switch {
	case last.static && last.outcome > undefined:
		p.steps = append(p.steps, always(last.outcome.exitBlock()))
	case !last.static:
		from := len(p.steps)
		p.inlined = append(p.inlined, from)
		for _, at := range last.inlined {
			p.inlined = append(p.inlined, from+at)
		}
		p.steps = append(p.steps, last.steps...)
	}
}

// block translates statements that follow one another. The rest is left out where it is never
// reached.
func (t *translator) block(stmts []ir.Stmt) blockCode {
	var p blockCode
	for i := 0; i < len(stmts); i++ {
		s := stmts[i]
		if n, fused := t.fuse(stmts[i:]); n > 0 {
			p.steps = append(p.steps, fused)
			i += n - 1
			continue
		}
		if e, ok := t.staticOutcome(s); ok && len(p.steps) == 0 && e != defined {
			return blockCode{static: true, outcome: e}
		} else if ok && e == defined {
			continue
		}
		if len(subBlocks(s)) > 0 {
			t.killWritten(s)
		}
		if t.propagateCopy(s, stmts[i+1:]) {
			continue
		}
		if only := t.soleBlock(s); only != nil && i == len(stmts)-1 {
			p.inlineTail(t.nestedBlock(only))
		} else if one := t.statement(s); one != nil {
			p.steps = append(p.steps, one)
		}
		for _, m := range t.constructions.finishes[s] {
			p.steps = append(p.steps, t.finishBuilder(m))
		}
	}
	p.static = len(p.steps) == 0
	return p
}

// onlyBlock is the block of a statement that does nothing but evaluate it, or nil.
func (t *translator) soleBlock(s ir.Stmt) *ir.Block {
	plain, ok := s.(*ir.BlockStmt)
	if !ok || len(plain.Blocks) != 1 || len(t.constructions.finishes[s]) > 0 {
		return nil
	}
	if _, _, several := matchAlternatives(plain); several {
		return nil
	}
	return plain.Blocks[0]
}

func always(e outcome) step { return func(*machine, []*ast.Term) outcome { return e } }

// fixed is how a statement ends that does nothing else, whatever the input: a break, and blocks
// of such.
func (t *translator) staticOutcome(s ir.Stmt) (outcome, bool) {
	switch s := s.(type) {
	case *ir.BreakStmt:
		return undefined + outcome(s.Index), true
	case *ir.IsDefinedStmt:
		return undefined, t.isUndefined(s.Source)
	case *ir.BlockStmt:
		for _, b := range s.Blocks {
			if len(b.Stmts) == 0 {
				continue
			}
			e, ok := t.staticOutcome(b.Stmts[0])
			if !ok || e == defined {
				return 0, false
			}
			if e > undefined {
				return e.exitBlock(), true
			}
		}
		return defined, true
	}
	return 0, false
}

// sequence is one step for several. Where blocks were joined, it ends as the statements did whose blocks
// they are: an end leaves one block fewer for each.
func sequence(steps []step, joins []int) step {
	if len(joins) > 0 {
		return func(m *machine, r []*ast.Term) outcome {
			for i, s := range steps {
				if e := s(m, r); e != defined {
					return e.exitInlined(joins, i)
				}
			}
			return defined
		}
	}
	switch len(steps) {
	case 0:
		return func(*machine, []*ast.Term) outcome { return defined }
	case 1:
		return steps[0]
	case 2:
		first, second := steps[0], steps[1]
		return func(m *machine, r []*ast.Term) outcome {
			if e := first(m, r); e != defined {
				return e
			}
			return second(m, r)
		}
	case 3:
		first, second, third := steps[0], steps[1], steps[2]
		return func(m *machine, r []*ast.Term) outcome {
			if e := first(m, r); e != defined {
				return e
			}
			if e := second(m, r); e != defined {
				return e
			}
			return third(m, r)
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, s := range steps {
			if e := s(m, r); e != defined {
				return e
			}
		}
		return defined
	}
}
