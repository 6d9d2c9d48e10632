package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// dispatchTable finds the blocks of a statement that match a name. Where a variable in a reference
// selects from rules at different depths, the planner emits one block for each rule, which begins
// by comparing the variable with the rule's name.
type dispatchTable struct {
	local  ir.Local             // the local that holds the name
	byName map[ast.String][]int // indexes of blocks
	others []int                // indexes of the blocks that run for every name
}

// newDispatchTable returns the table of a statement. All blocks are others if one of them writes the
// local with the name.
func (p *Program) newDispatchTable(s *ir.BlockStmt) dispatchTable {
	table := dispatchTable{byName: map[ast.String][]int{}}
	for i, b := range s.Blocks {
		name, local, ok := p.leadingNameTest(b)
		if !ok || len(table.byName) > 0 && local != table.local {
			table.others = append(table.others, i)
			continue
		}
		table.local = local
		table.byName[name] = append(table.byName[name], i)
	}
	if len(table.byName) > 0 && isWritten([]ir.Stmt{s}, table.local) {
		table = dispatchTable{}
		for i := range s.Blocks {
			table.others = append(table.others, i)
		}
	}
	return table
}

// leadingNameTest returns the name with which a block begins by comparing a local.
func (p *Program) leadingNameTest(b *ir.Block) (name ast.String, local ir.Local, ok bool) {
	if len(b.Stmts) == 0 {
		return "", 0, false
	}
	test, _ := b.Stmts[0].(*ir.EqualStmt)
	if test == nil {
		return "", 0, false
	}
	index, isString := test.A.Value.(ir.StringIndex)
	local, isLocal := test.B.Value.(ir.Local)
	if !isString || !isLocal {
		return "", 0, false
	}
	name, ok = p.strings[index].Value.(ast.String)
	return name, local, ok
}

// candidates returns the blocks that match a name.
func (d dispatchTable) candidates(name *ast.Term) []int {
	if name == nil {
		return nil
	}
	s, ok := name.Value.(ast.String)
	if !ok {
		return nil
	}
	return d.byName[s]
}

// dispatch translates a statement that has a dispatch table.
func (t *translator) dispatch(s *ir.BlockStmt, table dispatchTable) step {
	name, steps := t.register(table.local), make([]step, len(s.Blocks))
	for i, b := range s.Blocks {
		steps[i] = t.nestedBlock(b).step()
	}
	return func(m *machine, r []*ast.Term) outcome {
		others, candidates := table.others, table.candidates(r[name])
		for len(others) > 0 || len(candidates) > 0 {
			var i int
			i, others, candidates = popLeast(others, candidates)
			if e := steps[i](m, r); e > undefined {
				return e.exitBlock()
			}
		}
		return defined
	}
}

// popLeast removes the least element from two sorted lists that have one.
func popLeast(a, b []int) (least int, restA, restB []int) {
	if len(b) == 0 || len(a) > 0 && a[0] < b[0] {
		return a[0], a[1:], b
	}
	return b[0], a, b[1:]
}
