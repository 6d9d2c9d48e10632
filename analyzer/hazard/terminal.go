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

// checkPager records a program that starts a pager, if it may run on a terminal.
func (f *finder) checkPager(v *Vocabulary, words []string) {
	about := len(words) == 1 && slices.Contains(v.informationWords, words[0])
	if f.around.Terminal && v.pager != nil && !f.pagerOff && !about && !slices.Contains(v.pager.NotIn, f.subcommand) {
		f.add("runs", optionPager, "", 0)
	}
}

// optionTerminal is the name of the hazard that a program reads commands from its terminal:
// a person who types there can run anything.
const optionTerminal = "terminal"

// optionStdin is the name that rules use for a program that reads commands from standard input.
const optionStdin = "stdin"

// checkTerminalInput records a program that reads commands from a terminal, if a terminal may be its input.
func (f *finder) checkTerminalInput(v *Vocabulary, args argv.Reading, words []string) {
	t := v.terminal
	if !f.around.Typed || t == nil {
		return
	}
	given := func(names []string) bool {
		return slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool { return slices.Contains(names, g.Name) })
	}
	switch sure := !args.Uncertain && len(args.AnyOption) == 0; {
	case sure && given(t.Unless):
	case sure && len(t.With) > 0 && !given(t.With) && !mentionsAny(words, t.With):
	case sure && t.FewerOperandsThan > 0 && len(args.Operands) >= t.FewerOperandsThan:
	default:
		f.add(KindInline, optionTerminal, "", 0)
	}
}

// mentionsAny reports whether one of these options or sub-commands may be among the words before --,
// alone or in a cluster. After a sub-command without a grammar, options are not read, so the
// words are searched.
func mentionsAny(words, names []string) bool {
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

// checkStdinTerminal records the same hazard for a program that reads commands from standard input, which may
// be a terminal.
func (f *finder) checkStdinTerminal() {
	if f.around.Typed && slices.ContainsFunc(f.found, func(h gavel.Hazard) bool { return h.Option == optionStdin }) {
		f.add(KindInline, optionTerminal, "", 0)
	}
}

// notePagerOption records whether an option turns the pager off.
func (f *finder) notePagerOption(args argv.Reading) {
	if f.pager == nil {
		return
	}
	stops := f.pager.StoppedBy
	f.pagerOff = f.pagerOff || !args.Uncertain && slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return g.Known && !g.Abbreviated && (slices.Contains(stops, g.Name) || g.HasValue && slices.Contains(stops, g.Name+"="+g.Value))
	})
}

// checkCodeOptions records options that hold code or name a file of code. Only strict inline evaluation uses
// them.
func (f *finder) checkCodeOptions(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if slices.Contains(v.codeOptions, g.Name) {
			f.add(KindProgram, g.Name, g.Value, g.Index)
		}
	}
}
