package hazard

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
)

// optionPager is the name of the pager hazard: a pager on a terminal accepts commands that run
// programs.
const optionPager = "pager"

// terminal records a program that starts a pager, if it may run on a terminal.
func (f *finder) terminal(v *Vocabulary, words []string) {
	about := len(words) == 1 && slices.Contains(v.alone, words[0])
	if f.at.Terminal && v.pager != nil && !f.unpaged && !about && !slices.Contains(v.pager.NotIn, f.called) {
		f.add("runs", optionPager, "", 0)
	}
}

// optionTerminal is the name of the hazard that a program reads commands from its terminal:
// whoever types there can run anything.
const optionTerminal = "terminal"

// optionStdin is the name that rules use for a program that reads commands from standard input.
const optionStdin = "stdin"

// types records a program that reads commands from a terminal, if a terminal may be its input.
func (f *finder) types(v *Vocabulary, args argv.Reading, words []string) {
	t := v.terminal
	if !f.at.Typed || t == nil {
		return
	}
	given := func(names []string) bool {
		return slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool { return slices.Contains(names, g.Name) })
	}
	switch sure := !args.Uncertain && len(args.AnyOption) == 0; {
	case sure && given(t.Unless):
	case sure && len(t.With) > 0 && !given(t.With) && !mentions(words, t.With):
	case sure && t.FewerOperandsThan > 0 && len(args.Operands) >= t.FewerOperandsThan:
	default:
		f.add(KindInline, optionTerminal, "", 0)
	}
}

// mentions reports whether one of these options or sub-commands may be among the words before --,
// alone or in a cluster. After a sub-command without a grammar, options are not read, so the
// words are searched.
func mentions(words, names []string) bool {
	for _, word := range words {
		if word == "--" {
			return false
		}
		for _, name := range names {
			letters := len(name) == 2 && name[0] == '-' && strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--")
			if word == name || letters && strings.Contains(word, name[1:]) {
				return true
			}
		}
	}
	return false
}

// typed does the same for every program that reads commands from standard input.
func (f *finder) typed() {
	if f.at.Typed && slices.ContainsFunc(f.found, func(h gavel.Hazard) bool { return h.Option == optionStdin }) {
		f.add(KindInline, optionTerminal, "", 0)
	}
}

// quiet records an option with which the program starts no pager.
func (f *finder) quiet(args argv.Reading) {
	if f.pager == nil {
		return
	}
	stops := f.pager.StoppedBy
	f.unpaged = f.unpaged || !args.Uncertain && slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return g.Known && !g.Abbreviated && (slices.Contains(stops, g.Name) || g.HasValue && slices.Contains(stops, g.Name+"="+g.Value))
	})
}

// evals records options that hold code or name a file of code. Only strict inline evaluation asks
// about them.
func (f *finder) evals(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if slices.Contains(v.evals, g.Name) {
			f.add(KindProgram, g.Name, g.Value, g.Index)
		}
	}
}
