package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// pipes records, for the commands from a position on, the one whose output certainly goes into a
// pipe: the last of a pipeline, if it is a simple command without redirections.
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

// beside records for some commands and files of redirections that all commands after them, from
// the one at middle on, run at the same time: they are on the other side of a pipe.
func (w *walker) beside(from, middle, files, opened int) {
	other := Span{middle, len(w.Commands)}
	if other.Start == other.End {
		return
	}
	for i := from; i < middle; i++ {
		w.Commands[i].Beside = append(w.Commands[i].Beside, other)
	}
	for i := files; i < opened; i++ {
		w.Files[i].Beside = append(w.Files[i].Beside, other)
	}
}

// taker walks a statement whose input comes from a pipe. If the command before the pipe reads
// from a terminal, its output may be what someone typed.
func (w *walker) taker(stmt, giver *syntax.Stmt) {
	from := len(w.Commands)
	w.stmt(stmt)
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && len(stmt.Redirs) == 0 {
		start, _ := w.span(call.Args[0])
		for i := from; i < len(w.Commands); i++ {
			if w.Commands[i].Start == start {
				w.Commands[i].Taking = true
			}
		}
	}
	if w.printer(giver) {
		w.fed(from)
	}
}

// last returns the position of the last command of a pipeline, as simple does.
func (w *walker) last(stmt *syntax.Stmt, from, to int) int {
	for {
		list, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || list.Op != syntax.Pipe || len(stmt.Redirs) > 0 || stmt.Negated || stmt.Background || stmt.Coprocess {
			return w.simple(stmt, from, to)
		}
		stmt = list.Y
	}
}

// joins records for a command behind a pipe which command is before it, if both are simple commands
// without redirections. The commands before the pipe begin at from, those behind it at middle.
func (w *walker) joins(node *syntax.BinaryCmd, from, middle int) {
	giver, taker := w.last(node.X, from, middle), w.simple(node.Y, middle, len(w.Commands))
	w.givenBy(node.Y, giver)
	if giver >= 0 && taker >= 0 {
		w.Commands[taker].Giver = giver + 1
	}
}

// simple returns the position of a simple command without redirections and assignments among the
// commands of a range, or -1.
func (w *walker) simple(stmt *syntax.Stmt, from, to int) int {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 || len(call.Assigns)+len(stmt.Redirs) > 0 || stmt.Negated || stmt.Background || stmt.Coprocess {
		return -1
	}
	start, _ := w.span(call.Args[0])
	for i := from; i < to; i++ {
		if w.Commands[i].Start == start {
			return i
		}
	}
	return -1
}

// printer reports whether a statement prints only its own words.
func (w *walker) printer(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := call.Args[0].Lit()
	return w.effects.printers[name] && !w.Functions[name]
}

// input records, for the commands from a position on, where redirections get their input from.
func (w *walker) input(redirects []*syntax.Redirect, from int) {
	for _, r := range redirects {
		switch given, fed := feeds(r); {
		case given && fed:
			w.fed(from)
		case given:
			for i := from; i < len(w.Commands); i++ {
				w.Commands[i].typed = !w.Commands[i].Fed
			}
		}
	}
}

// fed records, for the commands from a position on, that their input certainly does not come from
// a terminal.
func (w *walker) fed(from int) {
	for i := from; i < len(w.Commands); i++ {
		w.Commands[i].Fed = !w.Commands[i].typed
	}
}

// feeds reports whether a redirection sets the standard input of a statement, and whether that is
// certainly not a terminal: a here-document or /dev/null. A file may be a link to a terminal.
func feeds(r *syntax.Redirect) (given, fed bool) {
	if r.N != nil && r.N.Value != "0" {
		return false, false
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		return true, true
	case syntax.RdrIn:
		return true, r.Word.Lit() == "/dev/null"
	case syntax.RdrInOut, syntax.DplIn:
		return true, false
	default:
		return r.N != nil && r.Op == syntax.DplOut, false
	}
}
