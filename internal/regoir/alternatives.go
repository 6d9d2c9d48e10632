package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// leaveAll is leave for all joined blocks that a step is in.
func (e outcome) exitInlined(joins []int, at int) outcome {
	for _, from := range joins {
		if from <= at && e != defined {
			e = e.exitBlock()
		}
	}
	return e
}

// alternatives are the blocks of a statement that evaluates them until one is defined, as planned for
// a value that rules or data may have, and how it ends if none is.
func matchAlternatives(s *ir.BlockStmt) (blocks []*ir.Block, otherwise outcome, ok bool) {
	if len(s.Blocks) != 1 || len(s.Blocks[0].Stmts) != 2 {
		return nil, 0, false
	}
	tried, isBlocks := s.Blocks[0].Stmts[0].(*ir.BlockStmt)
	none, isBreak := s.Blocks[0].Stmts[1].(*ir.BreakStmt)
	if !isBlocks || !isBreak || none.Index == 0 || len(tried.Blocks) >= minIndexed {
		return nil, 0, false
	}
	for _, b := range tried.Blocks {
		last := len(b.Stmts) - 1
		if last < 0 {
			return nil, 0, false
		}
		found, isBreak := b.Stmts[last].(*ir.BreakStmt)
		if !isBreak || found.Index != 1 {
			return nil, 0, false
		}
		blocks = append(blocks, &ir.Block{Stmts: b.Stmts[:last]})
	}
	return blocks, (undefined + outcome(none.Index)).exitBlock(), true
}

// first translates alternatives.
func (t *translator) firstDefined(blocks []*ir.Block, otherwise outcome) step {
	var steps []step
	for _, b := range blocks {
		if one := t.nestedBlock(b); !one.static || one.outcome != undefined {
			steps = append(steps, one.step())
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, one := range steps {
			switch e := one(m, r); {
			case e == defined:
				return defined
			case e > undefined:
				return e.exitBlock().exitBlock()
			}
		}
		return otherwise
	}
}
