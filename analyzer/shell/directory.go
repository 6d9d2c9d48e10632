package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/programs"
)

// The working directory of commands is followed through cd. After cd and &&, the change was made.
// After anything else, cd may have failed, so the directory is unknown; a relative path then has
// no meaning.

// moves follows a command that changes the directory.
func (w *walker) moves(words []Word) {
	if !w.effects.mayMove(words[0].Text) || w.dir.Unknown {
		return
	}
	operands := words[1:]
	if len(operands) > 0 && operands[0].Text == "--" {
		operands = operands[1:]
	}
	if len(operands) == 1 && operands[0].Home() != "" {
		w.dir = Directory{Last: &Step{w.dir.Last, operands[0].Home(), true}}
		return
	}
	if len(operands) != 1 || operands[0].Dynamic || operands[0].Text == "" || operands[0].Text[0] == '-' ||
		w.effects.builtins[words[0].Text].ChangesDirectory != programs.ToOperand {
		w.dir = Directory{Unknown: true}
		return
	}
	w.dir = Directory{Last: &Step{w.dir.Last, operands[0].Text, false}}
}

// givesUp reports whether a statement ends the script, as in cd x || exit 1.
func (e *Effects) givesUp(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && !stmt.Background && len(call.Args) > 0 && e.builtins[call.Args[0].Lit()].EndsScript && len(stmt.Redirs) == 0
}

// orElse reports whether a statement is such a list. After it, the directory is known.
func (e *Effects) orElse(stmt *syntax.Stmt) bool {
	list, ok := stmt.Cmd.(*syntax.BinaryCmd)
	return ok && list.Op == syntax.OrStmt && e.givesUp(list.Y)
}

// wanders reports whether the directory changes where the change is not followed: inside compound
// commands, pipelines, background jobs and texts that run later. In subshells and substitutions,
// the change stays inside, so they are followed.
func (e *Effects) wanders(file *syntax.File) bool {
	return slices.ContainsFunc(file.Stmts, e.astray)
}

func (e *Effects) astray(stmt *syntax.Stmt) bool {
	switch node := stmt.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		return stmt.Background && e.moving(stmt)
	case *syntax.BinaryCmd:
		switch {
		case stmt.Background:
			return e.moving(stmt)
		case node.Op == syntax.Pipe || node.Op == syntax.PipeAll:
			return e.movingInPipe(node.X) || e.movingInPipe(node.Y)
		}
		return e.astray(node.X) || e.astray(node.Y)
	case *syntax.Subshell:
		return slices.ContainsFunc(node.Stmts, e.astray)
	default:
		return e.moving(stmt)
	}
}

// movingInPipe is the same of one side of a pipe, which some shells run themselves.
func (e *Effects) movingInPipe(stmt *syntax.Stmt) bool {
	if _, ok := stmt.Cmd.(*syntax.Subshell); ok && !stmt.Background {
		return e.astray(stmt)
	}
	if list, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && !stmt.Background && (list.Op == syntax.Pipe || list.Op == syntax.PipeAll) {
		return e.movingInPipe(list.X) || e.movingInPipe(list.Y)
	}
	return e.moving(stmt)
}

// moving reports whether anything in a statement changes the directory or runs a text.
func (e *Effects) moving(node *syntax.Stmt) bool {
	if call, ok := node.Cmd.(*syntax.CallExpr); ok && len(node.Redirs) == 0 && flat(call) {
		return !e.plainName(call.Args[0])
	}
	if list, ok := node.Cmd.(*syntax.BinaryCmd); ok && len(node.Redirs) == 0 {
		return e.moving(list.X) || e.moving(list.Y)
	}
	found := false
	syntax.Walk(node, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			found = found || !e.plainName(call.Args[0])
		}
		return !found
	})
	return found
}

// flat reports whether a command consists of literal words only.
func flat(call *syntax.CallExpr) bool {
	return len(call.Assigns) == 0 && len(call.Args) > 0 &&
		!slices.ContainsFunc(call.Args, func(word *syntax.Word) bool { return word.Lit() == "" })
}

// plainName reports whether a command's name is literal, and neither changes the directory nor
// runs a text that might.
func (e *Effects) plainName(word *syntax.Word) bool {
	name := word.Lit()
	return name != "" && !e.mayMove(name)
}

// same reports whether the directory is unchanged. Every cd creates a new step.
func (d Directory) same(before Directory) bool { return d == before }
