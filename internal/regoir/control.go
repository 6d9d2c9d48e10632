package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// blocks translates a statement that runs its blocks one after another. A block that is undefined
// does not keep the next one from running.
func (t *translator) blocks(s *ir.BlockStmt) step {
	if blocks, otherwise, ok := matchAlternatives(s); ok {
		return t.firstDefined(blocks, otherwise)
	}
	if table := t.program.newDispatchTable(s); len(table.byName) >= minIndexed && t.constants[table.local] == nil {
		return t.dispatch(s, table)
	}
	var steps []step
	for _, b := range s.Blocks {
		if code := t.nestedBlock(b); !code.static || code.outcome > undefined {
			steps = append(steps, code.step())
		}
	}
	switch len(steps) {
	case 0:
		return nil
	case 1:
		block := steps[0]
		return func(m *machine, r []*ast.Term) outcome {
			if e := block(m, r); e > undefined {
				return e.exitBlock()
			}
			return defined
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, block := range steps {
			if e := block(m, r); e > undefined {
				return e.exitBlock()
			}
		}
		return defined
	}
}

// matchAlternatives recognizes blocks of which only the first that is defined counts. The planner
// emits them for a reference whose value may come from rules or from data:
//
//	block { block { a...; break 1 } { b...; break 1 }; break n }
//
// It returns the alternatives without their breaks, and the outcome of the statement if none of them
// is defined.
func matchAlternatives(s *ir.BlockStmt) (blocks []*ir.Block, otherwise outcome, ok bool) {
	if len(s.Blocks) != 1 || len(s.Blocks[0].Stmts) != 2 {
		return nil, 0, false
	}
	inner, isBlocks := s.Blocks[0].Stmts[0].(*ir.BlockStmt)
	noneDefined, isBreak := s.Blocks[0].Stmts[1].(*ir.BreakStmt)
	if !isBlocks || !isBreak || noneDefined.Index == 0 || len(inner.Blocks) >= minIndexed {
		return nil, 0, false
	}
	for _, b := range inner.Blocks {
		last := len(b.Stmts) - 1
		if last < 0 {
			return nil, 0, false
		}
		success, isBreak := b.Stmts[last].(*ir.BreakStmt)
		if !isBreak || success.Index != 1 {
			return nil, 0, false
		}
		blocks = append(blocks, &ir.Block{Stmts: b.Stmts[:last]})
	}
	return blocks, (undefined + outcome(noneDefined.Index)).exitBlock(), true
}

// firstDefined translates the blocks that matchAlternatives returns.
func (t *translator) firstDefined(blocks []*ir.Block, otherwise outcome) step {
	var steps []step
	for _, b := range blocks {
		if code := t.nestedBlock(b); !code.static || code.outcome != undefined {
			steps = append(steps, code.step())
		}
	}
	return func(m *machine, r []*ast.Term) outcome {
		for _, alternative := range steps {
			switch e := alternative(m, r); {
			case e == defined:
				return defined
			case e > undefined:
				return e.exitBlock().exitBlock()
			}
		}
		return otherwise
	}
}

func (t *translator) not(s *ir.NotStmt) step {
	body := t.nestedBlock(s.Block).step()
	return func(m *machine, r []*ast.Term) outcome {
		switch e := body(m, r); e {
		case defined:
			return undefined
		case undefined:
			return defined
		default:
			return e
		}
	}
}

// with translates a block in which input or data, or a part of it, is replaced. Rules that the block
// calls get a scope of their own, which ends with the block.
func (t *translator) with(s *ir.WithStmt) step {
	register, value := t.register(s.Local), t.operand(s.Value)
	path := make([]*ast.Term, len(s.Path))
	for i, key := range s.Path {
		path[i] = t.program.strings[key]
	}
	body := t.nestedBlock(s.Block).step()
	return func(m *machine, r []*ast.Term) outcome {
		original, scopes := r[register], len(m.scopes)
		r[register] = withReplaced(original, path, value.load(r))
		e := body(m, r)
		r[register] = original
		m.leaveScopes(scopes)
		return e
	}
}
