package shell

import (
	"mvdan.cc/sh/v3/syntax"
)

// recordPiped records which command of a statement certainly writes into the pipe after it: the last of a
// pipeline, if it is a simple command without redirections. from is the index of the statement's first
// command.
func (w *walker) recordPiped(stmt *syntax.Stmt, from int) {
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

// recordBeside records that the commands from index middle on, which are on the other side of a pipe,
// run at the same time as those in from..middle and the redirections in files..opened.
func (w *walker) recordBeside(from, middle, files, opened int) {
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

// pipeReader walks a statement whose input comes from a pipe. If the command before the pipe prints
// anything but its own words, its output may be text that a person typed at a terminal.
func (w *walker) pipeReader(stmt, writer *syntax.Stmt) {
	from := len(w.Commands)
	w.stmt(stmt)
	if call, ok := stmt.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 && len(stmt.Redirs) == 0 {
		start, _ := w.span(call.Args[0])
		for i := from; i < len(w.Commands); i++ {
			if w.Commands[i].Start == start {
				w.Commands[i].FromPipe = true
			}
		}
	}
	if w.printsOnlyWords(writer) {
		w.recordNoTerminal(from)
	}
}

// lastOfPipeline returns the index of the last command of a pipeline, as indexOfSimple does.
func (w *walker) lastOfPipeline(stmt *syntax.Stmt, from, to int) int {
	for {
		list, ok := stmt.Cmd.(*syntax.BinaryCmd)
		if !ok || list.Op != syntax.Pipe || len(stmt.Redirs) > 0 || stmt.Negated || stmt.Background || stmt.Coprocess {
			return w.indexOfSimple(stmt, from, to)
		}
		stmt = list.Y
	}
}

// recordSource records for a command after a pipe which command is before it, if both are simple commands
// without redirections. from and middle are the indexes of the first commands before and after the pipe.
func (w *walker) recordSource(node *syntax.BinaryCmd, from, middle int) {
	giver, taker := w.lastOfPipeline(node.X, from, middle), w.indexOfSimple(node.Y, middle, len(w.Commands))
	w.recordSourceOf(node.Y, giver)
	if giver >= 0 && taker >= 0 {
		w.Commands[taker].Source = giver + 1
	}
}

// indexOfSimple returns the index, in a range of commands, of a statement that is a simple command without
// redirections and assignments, or -1.
func (w *walker) indexOfSimple(stmt *syntax.Stmt, from, to int) int {
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

// printsOnlyWords reports whether a statement prints only its own words.
func (w *walker) printsOnlyWords(stmt *syntax.Stmt) bool {
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) == 0 {
		return false
	}
	name := call.Args[0].Lit()
	return w.effects.printers[name] && !w.Functions[name]
}

// recordInput records, for the commands from an index on, whether redirections connect their input to a
// terminal.
func (w *walker) recordInput(redirects []*syntax.Redirect, from int) {
	for _, r := range redirects {
		switch given, fed := redirectsInput(r); {
		case given && fed:
			w.recordNoTerminal(from)
		case given:
			for i := from; i < len(w.Commands); i++ {
				w.Commands[i].mayBeTyped = !w.Commands[i].NotTyped
			}
		}
	}
}

// recordNoTerminal records, for the commands from an index on, that their input certainly does not come
// from a terminal.
func (w *walker) recordNoTerminal(from int) {
	for i := from; i < len(w.Commands); i++ {
		w.Commands[i].NotTyped = !w.Commands[i].mayBeTyped
	}
}

// redirectsInput reports whether a redirection sets the standard input of a statement, and whether that is
// certainly not a terminal: a here-document or /dev/null. A file may be a link to a terminal.
func redirectsInput(r *syntax.Redirect) (given, fed bool) {
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
