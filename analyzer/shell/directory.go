package shell

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/programs"
)

// The working directory of commands is followed through cd. After cd and &&, the change was made.
// After anything else, cd may have failed, so the directory is unknown; a relative path then has
// no meaning.

// trackDirectory updates the working directory after a command that changes it.
func (w *walker) trackDirectory(words []Word) {
	if !w.effects.commandMayChangeDirectory(words[0].Text) || w.dir.Unknown {
		return
	}
	operands := words[1:]
	if len(operands) > 0 && operands[0].Text == "--" {
		operands = operands[1:]
	}
	if len(operands) == 1 && operands[0].PathBelowHome() != "" {
		w.dir = Directory{Last: &Step{w.dir.Last, operands[0].PathBelowHome(), true}}
		return
	}
	if len(operands) != 1 || operands[0].Dynamic || operands[0].Text == "" || operands[0].Text[0] == '-' ||
		w.effects.builtins[words[0].Text].ChangesDirectory != programs.ToOperand {
		w.dir = Directory{Unknown: true}
		return
	}
	w.dir = Directory{Last: &Step{w.dir.Last, operands[0].Text, false}}
}

// endsScript reports whether a statement ends the script, as in cd x || exit 1.
func (e *Effects) endsScript(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	return ok && !stmt.Background && len(call.Args) > 0 && e.builtins[call.Args[0].Lit()].EndsScript && len(stmt.Redirs) == 0
}

// isOrExit reports whether a statement is a list x || exit. After it, the directory is known.
func (e *Effects) isOrExit(stmt *syntax.Stmt) bool {
	list, ok := stmt.Cmd.(*syntax.BinaryCmd)
	return ok && list.Op == syntax.OrStmt && e.endsScript(list.Y)
}

// losesDirectory reports whether a script changes the directory where the change is not tracked: inside
// compound commands, pipelines, background jobs and texts that run later. A change in a subshell or a
// substitution stays inside, so those are tracked.
func (e *Effects) losesDirectory(file *syntax.File) bool {
	return slices.ContainsFunc(file.Stmts, e.stmtLosesDirectory)
}

// stmtLosesDirectory is losesDirectory for one statement.
func (e *Effects) stmtLosesDirectory(stmt *syntax.Stmt) bool {
	switch node := stmt.Cmd.(type) {
	case nil, *syntax.CallExpr, *syntax.DeclClause:
		return stmt.Background && e.mayChangeDirectory(stmt)
	case *syntax.BinaryCmd:
		switch {
		case stmt.Background:
			return e.mayChangeDirectory(stmt)
		case node.Op == syntax.Pipe || node.Op == syntax.PipeAll:
			return e.pipeMayChangeDirectory(node.X) || e.pipeMayChangeDirectory(node.Y)
		}
		return e.stmtLosesDirectory(node.X) || e.stmtLosesDirectory(node.Y)
	case *syntax.Subshell:
		return slices.ContainsFunc(node.Stmts, e.stmtLosesDirectory)
	default:
		return e.mayChangeDirectory(stmt)
	}
}

// pipeMayChangeDirectory is stmtLosesDirectory for one side of a pipe, which some shells run in themselves.
func (e *Effects) pipeMayChangeDirectory(stmt *syntax.Stmt) bool {
	if _, ok := stmt.Cmd.(*syntax.Subshell); ok && !stmt.Background {
		return e.stmtLosesDirectory(stmt)
	}
	if list, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && !stmt.Background && (list.Op == syntax.Pipe || list.Op == syntax.PipeAll) {
		return e.pipeMayChangeDirectory(list.X) || e.pipeMayChangeDirectory(list.Y)
	}
	return e.mayChangeDirectory(stmt)
}

// mayChangeDirectory reports whether anything in a statement changes the directory or runs a text.
func (e *Effects) mayChangeDirectory(node *syntax.Stmt) bool {
	if call, ok := node.Cmd.(*syntax.CallExpr); ok && len(node.Redirs) == 0 && isLiteral(call) {
		return !e.keepsDirectory(call.Args[0])
	}
	if list, ok := node.Cmd.(*syntax.BinaryCmd); ok && len(node.Redirs) == 0 {
		return e.mayChangeDirectory(list.X) || e.mayChangeDirectory(list.Y)
	}
	found := false
	syntax.Walk(node, func(n syntax.Node) bool {
		if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			found = found || !e.keepsDirectory(call.Args[0])
		}
		return !found
	})
	return found
}

// isLiteral reports whether a command consists of literal words only.
func isLiteral(call *syntax.CallExpr) bool {
	return len(call.Assigns) == 0 && len(call.Args) > 0 &&
		!slices.ContainsFunc(call.Args, func(word *syntax.Word) bool { return word.Lit() == "" })
}

// keepsDirectory reports whether a command's name is literal, and neither changes the directory nor
// runs a text that might.
func (e *Effects) keepsDirectory(word *syntax.Word) bool {
	name := word.Lit()
	return name != "" && !e.commandMayChangeDirectory(name)
}

// equal reports whether the directory is unchanged. Every cd creates a new step.
func (d Directory) equal(before Directory) bool { return d == before }
