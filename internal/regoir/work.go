package regoir

import (
	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/ir"
)

// mostWork is how many statements are looked at for a member of a list, on average.
const mostWork = 256

// work limits what is done for all members of a list, and remembers what is the same for each.
type work struct {
	left    int
	choices map[*ir.BlockStmt]choices
	added   map[*ir.MakeSetStmt]int
}

// choices are the blocks of a statement by the name that they begin by asking for. The planner writes
// one for each rule where a variable chooses from rules that are not equally deep.
type choices struct {
	local  ir.Local // holds the name; without names this is none
	names  map[ast.String][]int
	others []int
}

func newWork(members int) *work {
	return &work{left: mostWork * members, choices: map[*ir.BlockStmt]choices{}, added: map[*ir.MakeSetStmt]int{}}
}

// goesOn reports whether one more statement may be looked at.
func (a *assumption) goesOn() bool {
	a.work.left--
	return a.work.left > 0 && (a.work.left%(16*cancelCheckInterval) != 0 || !a.machine.Cancelled())
}

// blocks are the numbers of the blocks that do not ask for another name than a local holds.
func (a *assumption) blocks(s *ir.BlockStmt, l *locals) []int {
	c, known := a.work.choices[s]
	if !known {
		c = a.program.choices(s)
		a.work.choices[s] = c
	}
	if len(c.names) == 0 {
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
	rest, chosen := c.others, c.by(value.term)
	var numbers []int
	for len(rest) > 0 || len(chosen) > 0 {
		var next int
		next, rest, chosen = first(rest, chosen)
		numbers = append(numbers, next)
	}
	return numbers
}

// by are the blocks that ask for the name that a value is.
func (c choices) by(value *ast.Term) []int {
	if value == nil {
		return nil
	}
	name, ok := value.Value.(ast.String)
	if !ok {
		return nil
	}
	return c.names[name]
}

// choices finds the names that blocks begin by asking one local for, if none of them changes it.
func (p *Program) choices(s *ir.BlockStmt) choices {
	c := choices{names: map[ast.String][]int{}}
	for n, b := range s.Blocks {
		name, local, ok := p.asked(b)
		if !ok || len(c.names) > 0 && local != c.local {
			c.others = append(c.others, n)
			continue
		}
		c.local = local
		c.names[name] = append(c.names[name], n)
	}
	if len(c.names) > 0 && isWritten([]ir.Stmt{s}, c.local) {
		c = choices{}
		for n := range s.Blocks {
			c.others = append(c.others, n)
		}
	}
	return c
}

// asked returns the name that a block begins by asking a local for.
func (p *Program) asked(b *ir.Block) (name ast.String, local ir.Local, ok bool) {
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
func (w *work) additions(s *ir.MakeSetStmt, stmts []ir.Stmt) int {
	if n, known := w.added[s]; known {
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
	w.added[s] = n
	return n
}
