package analyzer

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// hazardPager is the name of what a program runs on a terminal: there whoever types has
// commands that run programs.
const hazardPager = "pager"

// terminal notes a program that starts a pager, if it may be on a terminal.
func (f *finder) terminal(v *vocabulary, words []string) {
	about := len(words) == 1 && slices.Contains(v.Alone, words[0])
	if f.at.terminal && v.Pager != nil && !f.unpaged && !about && !slices.Contains(v.Pager.NotIn, f.called) {
		f.add("runs", hazardPager, "", 0)
	}
}

// quiet notes an option with which the program starts no pager.
func (f *finder) quiet(args arguments) {
	if f.pager == nil {
		return
	}
	stops := f.pager.StoppedBy
	f.unpaged = f.unpaged || !args.uncertain && slices.ContainsFunc(args.options, func(g given) bool {
		return g.known && !g.short && (slices.Contains(stops, g.name) || g.hasValue && slices.Contains(stops, g.name+"="+g.value))
	})
}

// evals notes options that hold code or name what does: only strict inline evaluation asks
// about them as that.
func (f *finder) evals(v *vocabulary, args arguments) {
	for _, g := range args.options {
		if slices.Contains(v.Evals, g.name) {
			f.add(hazardProgram, g.name, g.value, g.index)
		}
	}
}

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
	for i := from; i < len(w.commands); i++ {
		if w.commands[i].start == start {
			w.commands[i].piped = true
		}
	}
}
