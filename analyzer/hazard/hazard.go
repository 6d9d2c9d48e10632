// Package hazard finds argument hazards: arguments with which a program runs others, writes,
// reads, reaches or loads something. A [Table] has the grammars of the catalog, and
// [Table.Of] reads the words of one command by them; [SafeBins] reads those of filters.
//
// A word that is made at run time is whatever it could be, an option that the grammar does
// not list is told as unknown, and paths are hazards by themselves where they are closed or
// secret. What a hazard does to a decision is the policy's to say.
package hazard

import (
	"cmp"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// Of returns the hazards among the arguments of a command, in their order, and the
// sub-command that the program was called with, as far as the table knows it. The
// program goes by the name that it was called by and by that of the file behind it;
// when the table knows both, both count. written are the words as they are written, and
// readings what they may be when the command runs, with [argv.Unknown] for what nobody
// knows, and with words at the end that are added then: what they are in any of the
// readings counts. Where the program is unknown, or could not be taken off, what its
// words would be as commands of their own counts as well. The result is never nil.
func (h *Table) Of(written []string, readings [][]string, executable gavel.Executable, opaque string, at Surroundings) (found []gavel.Hazard, command string) {
	found = []gavel.Hazard{}
	for i, words := range readings {
		more, called := h.read(written, words, executable, opaque, at)
		found = append(found, more...)
		if i > 0 && called != command {
			called = "" // it depends on the value
		}
		command = called
	}
	slices.SortStableFunc(found, func(a, b gavel.Hazard) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Option, b.Option), cmp.Compare(a.Argument, b.Argument))
	})
	return slices.Compact(found), command
}

// read is the same for one reading.
func (h *Table) read(written, words []string, executable gavel.Executable, opaque string, at Surroundings) (found []gavel.Hazard, command string) {
	var seen []*Vocabulary
	for i, name := range [...]string{executable.Name, executable.RealName} {
		if i > 0 && name == executable.Name {
			break
		}
		known, v := h.Program(name)
		if v == nil || slices.Contains(seen, v) {
			continue
		}
		seen = append(seen, v)
		finder := h.finder(at)
		finder.pager = v.pager
		finder.command(v, known, 0, words[1:], 1)
		finder.terminal(v, words[1:])
		found = append(found, finder.found...)
		if len(seen) > 1 && command != finder.called {
			finder.called = "" // the two names say different things
		}
		command = finder.called
	}
	if len(seen) == 0 {
		found = append(found, h.unknownPaths(words, at)...)
	}
	if len(seen) == 0 || opaque != "" || slices.ContainsFunc(found, func(one gavel.Hazard) bool { return one.Kind == "runs" }) {
		found = append(found, h.carried(words, at)...)
	}
	for i, hazard := range found {
		if strings.Contains(hazard.Option, argv.Unknown) {
			found[i].Option = optionDynamic
		}
		if strings.Contains(hazard.Argument, argv.Unknown) {
			found[i].Argument = ""
			if hazard.Index < len(written) {
				found[i].Argument = written[hazard.Index]
			}
		}
	}
	return found, command
}

// unknownPaths returns the hazards of paths among the words of a program that is unknown.
func (h *Table) unknownPaths(argv []string, at Surroundings) []gavel.Hazard {
	f := h.finder(at)
	for i := 1; i < len(argv); i++ {
		f.path(argv[i], i)
	}
	return f.found
}

func (h *Table) finder(at Surroundings) finder {
	return finder{programs: h.programs, harmless: h.harmless, places: &h.Places, at: at}
}

// MaxCarried is how many words are looked at for a command among them, and how many
// of its own each one has.
const MaxCarried = 64

// carried returns the inline evaluation in the words behind the first, if each of
// them were the name of a program.
func (h *Table) carried(argv []string, at Surroundings) []gavel.Hazard {
	var found []gavel.Hazard
	for i := 1; i < min(len(argv), MaxCarried); i++ {
		known, v := h.Program(spelling.Base(argv[i]))
		if v == nil {
			continue
		}
		inner := h.finder(at)
		inner.command(v, known, i, argv[i+1:min(len(argv), i+1+MaxCarried)], i+1)
		for _, hazard := range inner.found {
			if hazard.Kind == KindInline || hazard.Kind == KindProgram || hazard.Kind == kindCode {
				hazard.Kind, hazard.Option = kindCarried, known+" "+hazard.Option
				found = append(found, hazard)
			}
		}
	}
	return found
}

// Program finds a program in the table by the first of its names that is there.
func (h *Table) Program(name string) (string, *Vocabulary) {
	if v := h.programs[name]; v != nil {
		return name, v // its own name comes first
	}
	if programs.WholeName(name) {
		return "", nil
	}
	for _, known := range h.Names.Of(name) {
		if v := h.programs[known]; v != nil {
			return known, v
		}
	}
	return "", nil
}

// finder collects the hazards of one command.
type finder struct {
	programs map[string]*Vocabulary
	harmless map[string]bool
	places   *Paths
	at       Surroundings
	found    []gavel.Hazard
	called   string // the sub-command of the program, as far as it is known
	pager    *programs.Pager
	unpaged  bool // what stops it is there
}

// path notes a text that is a path which nobody may be given unasked.
func (f *finder) path(text string, index int) {
	if option := f.places.hazard(text, f.at); option != "" {
		f.add("reads", option, text, index)
	}
}

// pathsIn looks at the values of options and at the operands that may be paths.
func (f *finder) pathsIn(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if g.HasValue && !slices.Contains(v.texts, g.Name) {
			f.path(g.Value, g.Index)
		}
	}
	first := v.text.First
	if args.Has(v.text.Unless) {
		first = 0
	}
	for i, o := range args.Operands {
		if !v.text.All && i >= first && !textOf(v, args, o) {
			f.path(o.Text, o.Index)
		}
	}
}

// textOf reports whether an operand is the value of an option that takes text. Where
// every word is looked at by itself, values are operands as well.
func textOf(v *Vocabulary, args argv.Reading, o argv.Operand) bool {
	return v.style == argv.StylePredicates && slices.ContainsFunc(args.Options, func(g argv.Given) bool {
		return g.Index+1 == o.Index && slices.Contains(v.texts, g.Name)
	})
}

func (f *finder) add(kind, option, argument string, index int) {
	f.found = append(f.found, gavel.Hazard{Kind: kind, Option: option, Argument: argument, Index: index})
}

// command looks at the words of a program or a sub-command. name is what an entry
// calls it, and stands at position at of argv; words begin at position base.
func (f *finder) command(v *Vocabulary, name string, at int, words []string, base int) {
	if len(words) == 1 && slices.Contains(v.alone, words[0]) {
		return
	}
	from := len(f.found)
	if v.always != "" {
		f.add(v.always, name, "", at)
	}
	args, rest := v.takeApart(words, base)
	for _, at := range args.Anything {
		for _, kind := range v.kinds() {
			// An option that reads a file reads no more than the same word as a file.
			if kind != "reads" {
				f.add(kind, optionDynamic, argv.Unknown, at)
			}
		}
	}
	for _, g := range args.Options {
		switch {
		case g.Kind == "writes" && g.HasValue && f.harmless[g.Value]:
		case g.Kind != "":
			f.add(g.Kind, g.Name, g.Value, g.Index)
		case !g.Known && (v.closed || len(v.commands) > 0):
			f.add(kindUnknown, g.Name, g.Value, g.Index)
		}
	}
	if at == 0 || v.global {
		f.quiet(args)
	}
	f.evals(v, args)
	for _, r := range v.rules {
		f.rule(r, args, base)
	}
	f.pathsIn(v, args)
	f.handed(v, args, words, base)
	f.files(v, from)
	if len(v.commands) > 0 && len(args.Operands) > 0 {
		word := args.Operands[0]
		sure := f.ahead(v, args)
		if _, known := v.commands[word.Text]; known && sure && at == 0 {
			f.called = word.Text
		}
		f.subCommand(v, name, word, words[rest:], base+rest)
	}
}

// handed looks at the words behind an option whose value names the program that they
// are for, as python -m pytest has it.
func (f *finder) handed(v *Vocabulary, args argv.Reading, words []string, base int) {
	for _, g := range args.Options {
		if !g.HasValue || !slices.Contains(v.hands, g.Name) {
			continue
		}
		if program := f.programs[g.Value]; program != nil {
			next := slices.Index(words, g.Value) + 1
			f.command(program, g.Value, g.Index, words[next:], base+next)
		}
	}
}

// mayHave reports whether one of some options is there, or may be: a word that is made
// at run time may be any. Of no options it is true.
func mayHave(a argv.Reading, names []string) bool {
	return len(names) == 0 || len(a.Anything) > 0 || a.Has(names)
}

// files notes which of the hazards found from a position on name files.
func (f *finder) files(v *Vocabulary, from int) {
	for i := from; i < len(f.found); i++ {
		h := &f.found[i]
		if slices.Contains(v.paths, h.Option) && !strings.Contains(h.Argument, argv.Unknown) {
			h.Real = h.Argument
		}
	}
}

// rule applies one rule of a vocabulary. Where the number of operands is not
// certain, every operand may be the one that the rule is about.
func (f *finder) rule(r rule, args argv.Reading, base int) {
	if r.NumericFormat && !args.Uncertain && len(args.Operands) > 0 && plainFormat(args.Operands[0].Text) {
		return
	}
	if args.Has(r.Unless) || !mayHave(args, r.WithOneOf) || !mayHave(args, r.AndOneOf) {
		return
	}
	if r.FewerOperandsThan > 0 {
		if len(args.Operands) < r.FewerOperandsThan || args.Uncertain {
			f.add(r.Means, r.Named, "", base-1)
		}
		return
	}
	for _, g := range args.Options {
		if g.HasValue && slices.Contains(r.ValueOf, g.Name) && r.about(g.Value) {
			f.addAll(r, g.Value, g.Index)
		}
	}
	if len(r.ValueOf) > 0 {
		return
	}
	first := slices.IndexFunc(args.Operands, func(o argv.Operand) bool { return several(o.Text) })
	for i, o := range args.Operands {
		there := args.Uncertain || r.concerns(i+1, first >= 0 && i >= first && !(r.LastOfSeveral && i < len(args.Operands)-1))
		if there && r.about(o.Text) && !(r.Means == "writes" && f.harmless[o.Text]) {
			f.addAll(r, o.Text, o.Index)
		}
	}
}

// addAll notes everything that a text is by a rule.
func (f *finder) addAll(r rule, text string, index int) {
	for _, kind := range r.kindsOf(text) {
		f.add(kind, r.Named, text, index)
	}
}
