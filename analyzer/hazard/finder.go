package hazard

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/hazard/lang"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

// finder collects the hazards of one command.
type finder struct {
	programs vocabularies
	harmless map[string]bool
	places   *Paths
	at       Surroundings
	found    []gavel.Hazard
	called   string // the sub-command of the program, as far as it is known
	pager    *programs.Pager
	unpaged  bool // an option that stops the pager is present
	// in is the directory that the program works in, and was is the one in which the values of
	// the options are read that say so; "" if unknown.
	in, was string
}

// path records a hazard if a text is a path that no agent may use without being asked about.
func (f *finder) path(text string, index int) {
	file, denied := f.places.denied(text, f.at)
	if at := f.at; !denied && f.in != at.Dir {
		at.Dir = f.in
		file, denied = f.places.denied(text, at)
	}
	if denied {
		f.add("reads", OptionDenied, text, index)
		f.found[len(f.found)-1].Real = file
	}
	if _, complete := expanded(text); !complete && f.at.Scanner != nil && strings.Contains(strings.ToLower(text), "file") {
		f.add("reads", OptionBound, text, index)
	}
	if option := f.places.hazard(text, f.at); option != "" {
		f.add("reads", option, text, index)
		if option == optionSecret {
			f.found[len(f.found)-1].Real = f.places.full(text, f.at)
		}
		return
	}
	if full, outside := f.places.outside(text, f.at); outside {
		f.add(kindElsewhere, optionOutside, text, index)
		f.found[len(f.found)-1].Real = full
	}
}

// pathsIn checks the values of options, and the operands that may be paths.
func (f *finder) pathsIn(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if g.HasValue && (!slices.Contains(v.texts, g.Name) || strings.HasPrefix(g.Value, "@")) { // @ names a file for many programs
			f.path(g.Value, g.Index)
		}
	}
	first := v.text.First
	if args.Has(v.text.Unless) {
		first = 0
	}
	for i, o := range args.Operands {
		if i == 0 && f.at.Dir != "" && v.commands[o.Text] != nil && !args.Uncertain && len(args.AnyOption) == 0 && aheadOf(v, args) {
			continue // certainly the sub-command; in an unknown directory its hazard stands for that
		}
		if !v.text.All && (i >= first || v.text.OrFile && f.names(o.Text)) && !textOf(v, args, o) {
			f.path(o.Text, o.Index)
		}
	}
}

// names reports whether a text may be the name of a file that exists. Where nobody can look, that is
// one that says where it begins.
func (f *finder) names(text string) bool {
	full := f.places.full(text, f.at)
	if full == "" || strings.Contains(text, argv.Unknown) {
		return false // a word that is produced at run time is an objection of its own
	}
	switch f.at.Host.Kind(full) {
	case host.KindFile:
		return true
	case host.KindUnknown:
		return strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../")
	default:
		return false
	}
}

// textOf reports whether an operand is the value of an option that takes text. If every word is
// read by itself, values are operands as well.
func textOf(v *Vocabulary, args argv.Reading, o argv.Operand) bool {
	return v.style == argv.StylePredicates && slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return g.Index+1 == o.Index && slices.Contains(v.texts, g.Name)
	})
}

func (f *finder) add(kind, option, argument string, index int) {
	f.found = append(f.found, gavel.Hazard{Kind: kind, Option: option, Argument: argument, Index: index})
}

// command checks the words of a program or a sub-command. name is its name in the catalog, at is
// the position of that name in argv, and base is the position of words[0] in argv.
func (f *finder) command(v *Vocabulary, name string, at int, words []string, base int) {
	if len(words) == 1 && slices.Contains(v.alone, words[0]) {
		return
	}
	from := len(f.found)
	if v.always != "" {
		f.add(v.always, name, "", at)
	}
	args, rest := v.takeApart(words, base)
	f.move(v, args)
	for _, at := range args.AnyOption {
		for _, kind := range v.kinds() {
			// An option that reads a file adds nothing to a file hazard of the same word.
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
	f.types(v, args, words)
	f.evals(v, args)
	if v.tests == nil || !f.tests(v.tests, name, words, base) {
		for _, r := range v.rules {
			f.rule(r, args, base)
		}
	}
	f.pathsIn(v, args)
	f.walk(v, name, args, at)
	f.handed(v, args, words, base)
	f.changes(v, args, words, base, from)
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

// handed checks the words after an option whose value names the program that they are for, as in
// python -m pytest.
func (f *finder) handed(v *Vocabulary, args argv.Reading, words []string, base int) {
	for _, g := range args.Options {
		if !g.HasValue || !slices.Contains(v.hands, g.Name) {
			continue
		}
		if program := f.programs.of(g.Value); program != nil {
			next := slices.Index(words, g.Value) + 1
			f.command(program, g.Value, g.Index, words[next:], base+next)
		}
	}
}

// mayHave reports whether one of these options is present or may be: a word produced at run time
// may be any option. It is true for an empty list.
func mayHave(a argv.Reading, names []string) bool {
	return len(names) == 0 || len(a.AnyOption) > 0 || a.Has(names)
}

// files marks those hazards found from a position on that name files.
func (f *finder) files(v *Vocabulary, from int) {
	for i := from; i < len(f.found); i++ {
		h := &f.found[i]
		if slices.Contains(v.paths, h.Option) && !strings.Contains(h.Argument, argv.Unknown) {
			h.Real = h.Argument
		}
	}
}

// rule applies one rule of a vocabulary. If the number of operands is uncertain, the rule applies
// to every operand that may be the one it is about.
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
		if r.Grammar == lang.NamePython && g.HasValue && slices.Contains(r.ValueOf, g.Name) {
			f.python(r, g)
		}
		// Where a value is missing that has a grammar, the program may read it from elsewhere.
		if (g.HasValue || r.Grammar != "") && slices.Contains(r.ValueOf, g.Name) && r.about(g.Value) {
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

// addAll records every hazard that a rule finds in a text.
func (f *finder) addAll(r rule, text string, index int) {
	for _, kind := range r.kindsOf(text) {
		f.add(kind, r.Named, text, index)
	}
}

// python records the files that a plain program in python opens, and that it loads modules of which
// nobody knows what they do.
func (f *finder) python(r rule, code argv.GivenOption) {
	text := lang.Python(code.Value)
	if text.Loads {
		f.add("loads", r.Named, code.Value, code.Index)
	}
	for _, file := range text.Files {
		f.add("reads", OptionOpened, file, code.Index)
		f.found[len(f.found)-1].Real = file
		f.path(file, code.Index)
	}
}
