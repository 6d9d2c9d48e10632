package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// The working directory of commands is followed through cd. After cd and &&, the change was made.
// After anything else, cd may have failed, so the directory is unknown; a relative path then has
// no meaning.

// moves follows a command that changes the directory.
func (w *walker) moves(words []Word) {
	if !changesDirectory(words[0].Text) && !RunsText(words[0].Text) || w.dir.Unknown {
		return
	}
	operands := words[1:]
	if len(operands) > 0 && operands[0].Text == "--" {
		operands = operands[1:]
	}
	if len(operands) != 1 || operands[0].Dynamic || operands[0].Text == "" || operands[0].Text[0] == '-' || words[0].Text != "cd" {
		w.dir = Directory{Unknown: true}
		return
	}
	w.dir = Directory{Last: &Step{w.dir.Last, operands[0].Text}}
}

func changesDirectory(name string) bool {
	return name == "cd" || name == "chdir" || name == "pushd" || name == "popd"
}

// givesUp reports whether a statement ends the script, as in cd x || exit 1.
func givesUp(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && !stmt.Background && len(call.Args) > 0 && call.Args[0].Lit() == "exit" && len(stmt.Redirs) == 0
}

// orElse reports whether a statement is such a list. After it, the directory is known.
func orElse(stmt *syntax.Stmt) bool {
	list, ok := stmt.Cmd.(*syntax.BinaryCmd)
	return ok && list.Op == syntax.OrStmt && givesUp(list.Y)
}

// wanders reports whether the directory changes where the change is not followed: inside compound
// commands, pipelines, background jobs and texts that run later. In subshells and substitutions,
// the change stays inside, so they are followed.
func wanders(file *syntax.File) bool {
	return slices.ContainsFunc(file.Stmts, astray)
}

func astray(stmt *syntax.Stmt) bool {
	switch node := stmt.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		return stmt.Background && moving(stmt)
	case *syntax.BinaryCmd:
		switch {
		case stmt.Background:
			return moving(stmt)
		case node.Op == syntax.Pipe || node.Op == syntax.PipeAll:
			return movingInPipe(node.X) || movingInPipe(node.Y)
		}
		return astray(node.X) || astray(node.Y)
	case *syntax.Subshell:
		return slices.ContainsFunc(node.Stmts, astray)
	default:
		return moving(stmt)
	}
}

// movingInPipe is the same of one side of a pipe, which some shells run themselves.
func movingInPipe(stmt *syntax.Stmt) bool {
	if _, ok := stmt.Cmd.(*syntax.Subshell); ok && !stmt.Background {
		return astray(stmt)
	}
	if list, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && !stmt.Background && (list.Op == syntax.Pipe || list.Op == syntax.PipeAll) {
		return movingInPipe(list.X) || movingInPipe(list.Y)
	}
	return moving(stmt)
}

// moving reports whether anything in a statement changes the directory or runs a text.
func moving(node *syntax.Stmt) bool {
	if call, ok := node.Cmd.(*syntax.CallExpr); ok && len(node.Redirs) == 0 && flat(call) {
		return !plainName(call.Args[0])
	}
	if list, ok := node.Cmd.(*syntax.BinaryCmd); ok && len(node.Redirs) == 0 {
		return moving(list.X) || moving(list.Y)
	}
	found := false
	syntax.Walk(node, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			found = found || !plainName(call.Args[0])
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
func plainName(word *syntax.Word) bool {
	name := word.Lit()
	return name != "" && !changesDirectory(name) && !RunsText(name)
}

// RunsText reports whether a command runs a text, or a command given by name, that might change
// the directory.
func RunsText(name string) bool {
	switch name {
	case "eval", "trap", "source", ".", "builtin", "command":
		return true
	default:
		return false
	}
}

// same reports whether the directory is unchanged. Every cd creates a new step.
func (d Directory) same(before Directory) bool { return d == before }
