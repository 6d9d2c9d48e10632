package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// pipes notes of the commands from a position on the one whose output surely goes into
// a pipe: the last of a pipeline, when it is a simple one without redirections.
func (w *walker) pipes(stmt *syntax.Stmt, from int) {
	if list, ok := stmt.Cmd.(*syntax.BinaryCmd); ok && (list.Op == syntax.Pipe || list.Op == syntax.PipeAll) && len(stmt.Redirs) == 0 {
		stmt = list.Y
	}
	simple, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(simple.Args) == 0 || len(stmt.Redirs) > 0 {
		return
	}
	start, _ := w.span(simple.Args[0])
	for i := from; i < len(w.Commands); i++ {
		if w.Commands[i].Start == start {
			w.Commands[i].Piped = true
		}
	}
}
