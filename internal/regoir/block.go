package regoir

import (
	"maps"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// blockCode is a translated block: its steps, or, if the block is static, only its outcome. A static
// block does nothing, and its outcome is the same for all inputs.
type blockCode struct {
	steps   []step
	inlined []int // see inlineTail
	static  bool
	outcome outcome
}

// step returns a single step for the block.
func (c blockCode) step() step {
	if c.static {
		return always(c.outcome)
	}
	return sequence(c.steps, c.inlined)
}

// inlineTail appends the steps of a block that is the last thing the receiver executes. inlined
// records where they begin, because their outcomes count for the inner block: see exitInlined.
func (c *blockCode) inlineTail(tail blockCode) {
	switch {
	case tail.static && tail.outcome > undefined:
		c.steps = append(c.steps, always(tail.outcome.exitBlock()))
	case !tail.static:
		first := len(c.steps)
		c.inlined = append(c.inlined, first)
		for _, i := range tail.inlined {
			c.inlined = append(c.inlined, first+i)
		}
		c.steps = append(c.steps, tail.steps...)
	}
}

// nestedBlock translates a block inside a statement. What it learns about locals is not known to
// the statements that follow.
func (t *translator) nestedBlock(b *ir.Block) blockCode {
	constants, aliases, baseLocals := maps.Clone(t.constants), maps.Clone(t.aliases), maps.Clone(t.baseLocals)
	code := t.block(b.Stmts)
	t.constants, t.aliases, t.baseLocals = constants, aliases, baseLocals
	return code
}

// block translates the statements of a block.
func (t *translator) block(stmts []ir.Stmt) blockCode {
	var code blockCode
	for i := 0; i < len(stmts); i++ {
		s := stmts[i]
		if n, fused := t.fuse(stmts[i:]); n > 0 {
			code.steps = append(code.steps, fused)
			i += n - 1
			continue
		}
		if e, ok := t.staticOutcome(s); ok && len(code.steps) == 0 && e != defined {
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
		if sole := t.soleBlock(s); sole != nil && i == len(stmts)-1 {
			code.inlineTail(t.nestedBlock(sole))
		} else if translated := t.statement(s); translated != nil {
			code.steps = append(code.steps, translated)
		}
		for _, c := range t.constructions.finishes[s] {
			code.steps = append(code.steps, t.finishBuilder(c))
		}
	}
	code.static = len(code.steps) == 0
	return code
}

// soleBlock returns the block of a statement that does nothing but execute that one block, or nil.
func (t *translator) soleBlock(s ir.Stmt) *ir.Block {
	block, ok := s.(*ir.BlockStmt)
	if !ok || len(block.Blocks) != 1 || len(t.constructions.finishes[s]) > 0 {
		return nil
	}
	if _, _, isAlternatives := matchAlternatives(block); isAlternatives {
		return nil
	}
	return block.Blocks[0]
}

// staticOutcome returns the outcome of a statement that does nothing and always ends in the same way.
// That is a break, a test that cannot succeed, and a statement with blocks that begin with such a
// statement.
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

// sequence returns a step that runs the given ones up to the first that is not defined. Short
// sequences have code of their own, without a loop.
func sequence(steps []step, inlined []int) step {
	if len(inlined) > 0 {
		return func(m *machine, r []*ast.Term) outcome {
			for i, s := range steps {
				if e := s(m, r); e != defined {
					return e.exitInlined(inlined, i)
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
