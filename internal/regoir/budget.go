package regoir

import "github.com/open-policy-agent/opa/v1/ir"

// stmtsPerElement is how many statements the partial evaluator may evaluate for each element of a
// list, on average.
const stmtsPerElement = 256

// workBudget limits the work of partial evaluation for all elements of a list. It also caches what is
// the same for each of them.
type workBudget struct {
	remaining      int // statements
	dispatchTables map[*ir.BlockStmt]dispatchTable
	additionCounts map[*ir.MakeSetStmt]int
}

func newWorkBudget(elements int) *workBudget {
	return &workBudget{remaining: stmtsPerElement * elements, dispatchTables: map[*ir.BlockStmt]dispatchTable{}, additionCounts: map[*ir.MakeSetStmt]int{}}
}

// spend takes a statement from the budget. It reports false if the budget is used up or the context
// has ended.
func (p *partialEvaluator) spend() bool {
	p.budget.remaining--
	return p.budget.remaining > 0 && (p.budget.remaining%(16*cancelCheckInterval) != 0 || !p.machine.Cancelled())
}

// candidateBlocks returns the indexes of the blocks that may have to run: all but those that begin
// by testing for another name.
func (p *partialEvaluator) candidateBlocks(s *ir.BlockStmt, env *environment) []int {
	table, ok := p.budget.dispatchTables[s]
	if !ok {
		table = p.program.newDispatchTable(s)
		p.budget.dispatchTables[s] = table
	}
	if len(table.byName) == 0 {
		return table.others
	}
	name, ok := p.read(ir.Operand{Value: table.local}, env)
	if !ok {
		all := make([]int, len(s.Blocks))
		for i := range all {
			all[i] = i
		}
		return all
	}
	others, candidates := table.others, table.candidates(name.term)
	var blocks []int
	for len(others) > 0 || len(candidates) > 0 {
		var i int
		i, others, candidates = popLeast(others, candidates)
		blocks = append(blocks, i)
	}
	return blocks
}

// countAdditions returns how many of the statements that follow the making of a set add to it.
func (w *workBudget) countAdditions(s *ir.MakeSetStmt, stmts []ir.Stmt) int {
	if n, ok := w.additionCounts[s]; ok {
		return n
	}
	n := 0
	for n < len(stmts) {
		add, ok := stmts[n].(*ir.SetAddStmt)
		if !ok || add.Set != s.Target {
			break
		}
		n++
	}
	w.additionCounts[s] = n
	return n
}
