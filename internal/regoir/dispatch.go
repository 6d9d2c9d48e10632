package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// mostWork is how many statements are looked at for a member of a list, on average.
const stmtsPerMember = 256

// work limits what is done for all members of a list, and remembers what is the same for each.
type workBudget struct {
	remaining      int
	dispatchTables map[*ir.BlockStmt]dispatchTable
	additionCounts map[*ir.MakeSetStmt]int
}

// choices are the blocks of a statement by the name that they begin by asking for. The planner writes
// one for each rule where a variable chooses from rules that are not equally deep.
type dispatchTable struct {
	local  ir.Local // holds the name; without names this is none
	byName map[ast.String][]int
	others []int
}

func newWorkBudget(members int) *workBudget {
	return &workBudget{remaining: stmtsPerMember * members, dispatchTables: map[*ir.BlockStmt]dispatchTable{}, additionCounts: map[*ir.MakeSetStmt]int{}}
}

// goesOn reports whether one more statement may be looked at.
func (a *partialEvaluator) spend() bool {
	a.budget.remaining--
	return a.budget.remaining > 0 && (a.budget.remaining%(16*cancelCheckInterval) != 0 || !a.machine.Cancelled())
}

// blocks are the numbers of the blocks that do not ask for another name than a local holds.
func (a *partialEvaluator) candidateBlocks(s *ir.BlockStmt, l *environment) []int {
	c, known := a.budget.dispatchTables[s]
	if !known {
		c = a.program.dispatchTable(s)
		a.budget.dispatchTables[s] = c
	}
	if len(c.byName) == 0 {
		return c.others
	}
	value, known := a.read(ir.Operand{Value: c.local}, l)
	if !known {
		all := make([]int, len(s.Blocks))
		for n := range all {
			all[n] = n
		}
		return all
	}
	rest, chosen := c.others, c.blocksFor(value.term)
	var numbers []int
	for len(rest) > 0 || len(chosen) > 0 {
		var next int
		next, rest, chosen = nextInOrder(rest, chosen)
		numbers = append(numbers, next)
	}
	return numbers
}

// by are the blocks that ask for the name that a value is.
func (c dispatchTable) blocksFor(value *ast.Term) []int {
	if value == nil {
		return nil
	}
	name, ok := value.Value.(ast.String)
	if !ok {
		return nil
	}
	return c.byName[name]
}

// choices finds the names that blocks begin by asking one local for, if none of them changes it.
func (p *Program) dispatchTable(s *ir.BlockStmt) dispatchTable {
	c := dispatchTable{byName: map[ast.String][]int{}}
	for n, b := range s.Blocks {
		name, local, ok := p.leadingNameTest(b)
		if !ok || len(c.byName) > 0 && local != c.local {
			c.others = append(c.others, n)
			continue
		}
		c.local = local
		c.byName[name] = append(c.byName[name], n)
	}
	if len(c.byName) > 0 && isWritten([]ir.Stmt{s}, c.local) {
		c = dispatchTable{}
		for n := range s.Blocks {
			c.others = append(c.others, n)
		}
	}
	return c
}

// asked returns the name that a block begins by asking a local for.
func (p *Program) leadingNameTest(b *ir.Block) (name ast.String, local ir.Local, ok bool) {
	if len(b.Stmts) == 0 {
		return "", 0, false
	}
	test, _ := b.Stmts[0].(*ir.EqualStmt)
	if test == nil {
		return "", 0, false
	}
	text, isText := test.A.Value.(ir.StringIndex)
	local, isLocal := test.B.Value.(ir.Local)
	if !isText || !isLocal {
		return "", 0, false
	}
	name, ok = p.strings[text].Value.(ast.String)
	return name, local, ok
}

// additions is how many statements add to a set right after it was made.
func (w *workBudget) countAdditions(s *ir.MakeSetStmt, stmts []ir.Stmt) int {
	if n, known := w.additionCounts[s]; known {
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
