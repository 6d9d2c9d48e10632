package hazard

import (
	"slices"

	"gavel/analyzer/argv"
)

// optionPager is the name of what a program runs on a terminal: there whoever types has
// commands that run programs.
const optionPager = "pager"

// terminal notes a program that starts a pager, if it may be on a terminal.
func (f *finder) terminal(v *Vocabulary, words []string) {
	about := len(words) == 1 && slices.Contains(v.alone, words[0])
	if f.at.Terminal && v.pager != nil && !f.unpaged && !about && !slices.Contains(v.pager.NotIn, f.called) {
		f.add("runs", optionPager, "", 0)
	}
}

// quiet notes an option with which the program starts no pager.
func (f *finder) quiet(args argv.Reading) {
	if f.pager == nil {
		return
	}
	stops := f.pager.StoppedBy
	f.unpaged = f.unpaged || !args.Uncertain && slices.ContainsFunc(args.Options, func(g argv.Given) bool {
		return g.Known && !g.Abbreviated && (slices.Contains(stops, g.Name) || g.HasValue && slices.Contains(stops, g.Name+"="+g.Value))
	})
}

// evals notes options that hold code or name what does: only strict inline evaluation asks
// about them as that.
func (f *finder) evals(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if slices.Contains(v.evals, g.Name) {
			f.add(KindProgram, g.Name, g.Value, g.Index)
		}
	}
}
