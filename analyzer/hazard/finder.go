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
	programs   vocabularies
	harmless   map[string]bool
	places     *Paths
	around     Surroundings
	found      []gavel.Hazard
	subcommand string // of the program; "" if it is unknown or there is none
	pager      *programs.Pager
	pagerOff   bool // an option that turns the pager off is present
	// workDir is the directory that the program works in, which options may set. startDir is the one to
	// which the values of such options are relative. Both are "" if unknown. entered are the directories that
	// these options set in turn, of which workDir is the last: programs such as tar read operands in each.
	workDir, startDir string
	entered           []string
}

// checkPath records a hazard if a text is a path that no agent may use without being asked about.
func (f *finder) checkPath(text string, index int) {
	file, denied := f.places.deniedFile(text, f.around)
	for _, dir := range f.entered {
		if at := f.around; !denied && dir != at.Dir {
			at.Dir = dir
			file, denied = f.places.deniedFile(text, at)
		}
	}
	if denied {
		f.add("reads", OptionDenied, text, index)
		f.found[len(f.found)-1].Real = file
	}
	if _, complete := expandURLs(text); !complete && f.around.Scanner != nil && strings.Contains(strings.ToLower(text), "file") {
		f.add("reads", OptionBound, text, index)
	}
	if option := f.places.textHazard(text, f.around); option != "" {
		f.add("reads", option, text, index)
		if option == optionSecret {
			f.found[len(f.found)-1].Real = f.places.resolve(text, f.around)
		}
		return
	}
	if full, outside := f.places.isOutside(text, f.around); outside {
		f.add(kindElsewhere, optionOutside, text, index)
		f.found[len(f.found)-1].Real = full
	}
}

// checkPaths checks the values of options, and the operands that may be paths.
func (f *finder) checkPaths(v *Vocabulary, args argv.Reading) {
	for _, g := range args.Options {
		if g.HasValue && (!slices.Contains(v.textOptions, g.Name) || strings.HasPrefix(g.Value, "@")) { // @ names a file for many programs
			f.checkPath(g.Value, g.Index)
		}
	}
	first := v.operandText.First
	if args.Has(v.operandText.Unless) {
		first = 0
	}
	for i, o := range args.Operands {
		if i == 0 && f.around.Dir != "" && v.subcommands[o.Text] != nil && !args.Uncertain && len(args.AnyOption) == 0 && certainBefore(v, args) {
			continue // certainly the sub-command, and no path
		}
		if !v.operandText.All && (i >= first || v.operandText.OrFile && f.namesFile(o.Text)) && !textOf(v, args, o) {
			f.checkPath(o.Text, o.Index)
		}
	}
}

// namesFile reports whether a text may be the name of an existing file. Where no lookups are possible, a
// text with an explicit starting point counts: /, ~, ./ or ../.
func (f *finder) namesFile(text string) bool {
	full := f.places.resolve(text, f.around)
	if full == "" || strings.Contains(text, argv.Unknown) {
		return false // a word that is produced at run time is reported in another way
	}
	switch f.around.Host.Kind(full) {
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
		return g.Index+1 == o.Index && slices.Contains(v.textOptions, g.Name)
	})
}

// add records a hazard. index is the position of the word in argv.
func (f *finder) add(kind, option, argument string, index int) {
	f.found = append(f.found, gavel.Hazard{Kind: kind, Option: option, Argument: argument, Index: index})
}

// checkCommand checks the words of a program or a sub-command. name is its name in the catalog, at is
// the index of that name in argv, and base is the index of words[0] in argv.
func (f *finder) checkCommand(v *Vocabulary, name string, at int, words []string, base int) {
	if len(words) == 1 && slices.Contains(v.informationWords, words[0]) {
		return
	}
	from := len(f.found)
	if v.always != "" {
		f.add(v.always, name, "", at)
	}
	args, rest := v.read(words, base)
	f.enterDirectory(v, args)
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
		case !g.Known && (v.listsEveryOption || len(v.subcommands) > 0):
			f.add(kindUnknown, g.Name, g.Value, g.Index)
		}
	}
	if at == 0 || v.optionsInherited {
		f.notePagerOption(args)
	}
	f.checkTerminalInput(v, args, words)
	f.checkCodeOptions(v, args)
	if v.expression == nil || !f.checkTest(v.expression, name, words, base) {
		for _, r := range v.rules {
			f.applyRule(r, args, base)
		}
	}
	f.checkPaths(v, args)
	f.checkRecursiveRead(v, name, args, at)
	f.checkSettings(v, args, at)
	f.checkHandedWords(v, args, words, base)
	f.checkChanges(v, args, words, base, from)
	f.markFiles(v, from)
	if len(v.subcommands) > 0 && len(args.Operands) > 0 {
		word := args.Operands[0]
		sure := f.checkOptionsBefore(v, args)
		if _, known := v.subcommands[word.Text]; known && sure && at == 0 {
			f.subcommand = word.Text
		}
		f.checkSubcommand(v, name, word, words[rest:], base+rest)
	}
}

// checkHandedWords checks the words after an option whose value names the program that gets them, as in
// python -m pytest.
func (f *finder) checkHandedWords(v *Vocabulary, args argv.Reading, words []string, base int) {
	for _, g := range args.Options {
		if !g.HasValue || !slices.Contains(v.programOptions, g.Name) {
			continue
		}
		if program := f.programs.find(g.Value); program != nil {
			next := slices.Index(words, g.Value) + 1
			f.checkCommand(program, g.Value, g.Index, words[next:], base+next)
		}
	}
}

// mayHave reports whether one of these options is present or may be: a word produced at run time
// may be any option. It is true for an empty list.
func mayHave(a argv.Reading, names []string) bool {
	return len(names) == 0 || len(a.AnyOption) > 0 || a.Has(names)
}

// markFiles sets the file of those hazards, from an index on, whose argument is a file.
func (f *finder) markFiles(v *Vocabulary, from int) {
	for i := from; i < len(f.found); i++ {
		h := &f.found[i]
		if slices.Contains(v.fileHazards, h.Option) && !strings.Contains(h.Argument, argv.Unknown) {
			h.Real = h.Argument
		}
	}
}

// applyRule applies one rule of a vocabulary. If the number of operands is uncertain, the rule applies
// to every operand that may be the one it is about.
func (f *finder) applyRule(r rule, args argv.Reading, base int) {
	if r.NumericFormat && !args.Uncertain && len(args.Operands) > 0 && plainFormat(args.Operands[0].Text) {
		return
	}
	if args.Has(r.Unless) || !mayHave(args, r.WithOneOf) || !mayHave(args, r.AndOneOf) {
		return
	}
	if r.FewerOperandsThan > 0 {
		if len(args.Operands) < r.FewerOperandsThan || args.Uncertain {
			f.add(r.Means, r.HazardName, "", base-1)
		}
		return
	}
	for _, g := range args.Options {
		if r.Grammar == lang.NamePython && g.HasValue && slices.Contains(r.ValueOf, g.Name) {
			f.checkPython(r, g)
		}
		// If the value that a grammar applies to is missing, the program may read it from elsewhere.
		if (g.HasValue || r.Grammar != "") && slices.Contains(r.ValueOf, g.Name) && r.matchesText(g.Value) {
			f.addAll(r, g.Value, g.Index)
		}
	}
	if len(r.ValueOf) > 0 {
		return
	}
	first := slices.IndexFunc(args.Operands, func(o argv.Operand) bool { return maySplit(o.Text) })
	for i, o := range args.Operands {
		there := args.Uncertain || r.matchesOperand(i+1, first >= 0 && i >= first && !(r.LastOfSeveral && i < len(args.Operands)-1))
		if there && r.matchesText(o.Text) && !(r.Means == "writes" && f.harmless[o.Text]) {
			f.addAll(r, o.Text, o.Index)
		}
	}
}

// addAll records every hazard that a rule finds in a text.
func (f *finder) addAll(r rule, text string, index int) {
	for _, kind := range r.kinds(text) {
		f.add(kind, r.HazardName, text, index)
	}
}

// checkPython records the files that a plain Python program opens, and whether it loads modules whose effects
// are unknown.
func (f *finder) checkPython(r rule, code argv.GivenOption) {
	text := lang.Python(code.Value)
	if text.Loads {
		f.add("loads", r.HazardName, code.Value, code.Index)
	}
	for _, file := range text.Files {
		f.add("reads", OptionOpened, file, code.Index)
		f.found[len(f.found)-1].Real = file
		f.checkPath(file, code.Index)
	}
}
