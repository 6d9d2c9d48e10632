package hazard

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// How certain the sub-commands and the options of a command line are, from best to worst; [gavel.Segment]
// describes the values.
const (
	lineExact    = "exact"
	lineUnsure   = "unsure"
	lineProgram  = "program"
	lineUnlisted = "unlisted"
	lineOpen     = "open"
	lineNone     = "none"
)

// Line has the words of a command as its program reads them; [gavel.Segment] describes the fields.
type Line struct {
	Commands                    []string
	Options                     []gavel.GivenOption
	Operands                    []gavel.GivenOperand
	CommandsKnown, OptionsKnown string
	// External is the program that the sub-command would run; "" if the sub-command is not a
	// program or is uncertain.
	External string
}

// MarkExternal records that the sub-command, which no grammar lists, is a separate program.
func (l *Line) MarkExternal() { l.CommandsKnown = lineProgram }

// UnreadLine returns the line of a command whose words were not read.
func UnreadLine() Line {
	return Line{Commands: []string{}, Options: []gavel.GivenOption{}, Operands: []gavel.GivenOperand{},
		CommandsKnown: lineNone, OptionsKnown: lineNone}
}

// Line reads the words of a command by the grammar of its program. If there are several readings,
// or several grammars for the names of the program, the result covers all of them. readings and
// executable are as in Of; dir is where the command runs.
func (h *Table) Line(readings [][]string, executable gavel.Executable, dir string) Line {
	var line *Line
	for _, text := range readings {
		for _, v := range h.vocabulariesOf(executable) {
			l := lineReader{root: v, dir: dir, line: Line{Commands: []string{}, Options: []gavel.GivenOption{},
				Operands: []gavel.GivenOperand{}, CommandsKnown: lineExact, OptionsKnown: lineExact}}
			l.readProgram(text)
			line = merge(line, l.line)
		}
	}
	return *line
}

// vocabulariesOf returns the vocabularies for the names of a program: a single nil if the tables
// have none.
func (h *Table) vocabulariesOf(executable gavel.Executable) []*Vocabulary {
	_, first := h.Program(executable.Name)
	second := first
	if executable.RealName != "" {
		_, second = h.Program(executable.RealName)
	}
	switch {
	case first == second, second == nil:
		return []*Vocabulary{first}
	case first == nil:
		return []*Vocabulary{second}
	default:
		return []*Vocabulary{first, second}
	}
}

// Unpacks says how a program unpacks archives; nil if it does not.
func (h *Table) Unpacks(executable gavel.Executable) *programs.Unpacks {
	for _, v := range h.vocabulariesOf(executable) {
		if v != nil && v.unpacks != nil {
			return v.unpacks
		}
	}
	return nil
}

// merge combines two possible lines into one that covers both.
func merge(a *Line, b Line) *Line {
	if a == nil {
		return &b
	}
	if !slices.Equal(a.Commands, b.Commands) {
		a.CommandsKnown = lineOpen
	}
	if a.External != b.External {
		a.External = ""
	}
	a.CommandsKnown, a.OptionsKnown = worse(a.CommandsKnown, b.CommandsKnown), worse(a.OptionsKnown, b.OptionsKnown)
	for _, o := range b.Options {
		if !slices.ContainsFunc(a.Options, func(known gavel.GivenOption) bool {
			return known.Name == o.Name && known.Value == o.Value && known.Index == o.Index && slices.Equal(known.Names, o.Names)
		}) {
			a.Options = append(a.Options, o)
		}
	}
	for _, o := range b.Operands {
		if !slices.Contains(a.Operands, o) {
			a.Operands = append(a.Operands, o)
		}
	}
	return a
}

// worse returns the less certain of two values, in the order of the constants. lineNone and any other
// value give lineOpen.
func worse(a, b string) string {
	if a == b {
		return a
	}
	if a == lineNone || b == lineNone {
		return lineOpen
	}
	order := []string{lineExact, lineUnsure, lineUnlisted, lineOpen}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}

// lineReader reads the words of a command by one vocabulary, which is nil for an unknown program.
type lineReader struct {
	root *Vocabulary
	dir  string
	line Line
}

// readProgram reads the words of a program. Without a grammar, every word is an operand.
func (l *lineReader) readProgram(text []string) {
	if l.root == nil {
		l.line.CommandsKnown, l.line.OptionsKnown = lineNone, lineNone
		for i, item := range text[1:] {
			l.addOperand(item, i+1)
		}
		return
	}
	if len(l.root.subcommands) == 0 {
		l.line.CommandsKnown = lineNone
	}
	l.readLevel(l.root, text[1:], 1)
}

// readLevel reads the words of a program, or of one of its sub-commands.
func (l *lineReader) readLevel(v *Vocabulary, words []string, base int) {
	args, rest := v.read(words, base)
	l.addOptions(v, args)
	if len(v.subcommands) == 0 {
		for _, o := range args.Operands {
			l.addOperand(o.Text, o.Index)
		}
		return
	}
	if args.Uncertain || len(args.AnyOption) > 0 || !certainBefore(v, args) {
		l.line.CommandsKnown = worse(l.line.CommandsKnown, lineOpen)
	}
	if len(args.Operands) == 0 {
		return
	}
	word := args.Operands[0]
	if strings.Contains(word.Text, argv.Unknown) {
		l.line.CommandsKnown, l.line.OptionsKnown = lineOpen, worse(l.line.OptionsKnown, lineOpen)
	}
	l.line.Commands = append(l.line.Commands, literalPrefix(word.Text))
	if command := v.subcommands[word.Text]; command != nil {
		l.readLevel(command, words[rest:], base+rest)
		return
	}
	l.line.CommandsKnown = worse(l.line.CommandsKnown, lineUnlisted)
	if v.externalPrefix != "" && l.line.CommandsKnown == lineUnlisted && !strings.Contains(word.Text, "/") {
		l.line.External = v.externalPrefix + word.Text
	}
	l.readLevel(&Vocabulary{style: v.style, shortEquals: v.shortEquals, options: v.options}, words[rest:], base+rest)
}

// certainBefore reports whether certainly no option before the sub-command takes the sub-command as its value.
func certainBefore(v *Vocabulary, args argv.Reading) bool {
	return len(v.sameBefore) == 0 || !slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return g.Abbreviated || !slices.Contains(v.sameBefore, g.Name)
	})
}

// addOptions records the options of one level.
func (l *lineReader) addOptions(v *Vocabulary, args argv.Reading) {
	switch {
	case len(args.AnyOption) > 0:
		l.line.OptionsKnown = worse(l.line.OptionsKnown, lineOpen)
	case args.Uncertain:
		l.line.OptionsKnown = worse(l.line.OptionsKnown, lineUnsure)
	}
	for _, g := range args.Options {
		if !g.Known {
			l.line.OptionsKnown = worse(l.line.OptionsKnown, lineUnsure)
		}
		l.line.Options = append(l.line.Options, gavel.GivenOption{Name: literalPrefix(strings.TrimSuffix(g.Name, "*")), Names: l.allNames(v, g),
			Value: literalPrefix(g.Value), HasValue: g.HasValue, Dynamic: strings.Contains(g.Name+g.Value, argv.Unknown), Known: g.Known, Index: g.Index})
		// For most programs, the = of -n=x belongs to the value; for some it does not.
		if value, equals := strings.CutPrefix(g.Value, "="); equals && len(g.Name) == 2 && !v.shortEquals {
			again := l.line.Options[len(l.line.Options)-1]
			again.Value = literalPrefix(value)
			l.line.Options = append(l.line.Options, again)
		}
	}
}

// allNames returns all names of an option: those with the same meaning at its level, or, if it is
// unknown there, those that it has anywhere in the program.
func (l *lineReader) allNames(v *Vocabulary, g argv.GivenOption) []string {
	names := []string{literalPrefix(strings.TrimSuffix(g.Name, "*"))}
	if g.Known {
		for _, name := range g.Names {
			if o, ok := v.options[name]; ok && slices.Equal(o.Names, g.Names) {
				names = append(names, strings.TrimSuffix(name, "*"))
			}
		}
	} else {
		names = append(names, l.root.otherNames(g.Name, nil)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// otherNames returns the other names of an option in a program or one of its sub-commands. seen has the
// vocabularies that were visited; nil at first.
func (v *Vocabulary) otherNames(name string, seen map[*Vocabulary]bool) (names []string) {
	if seen == nil {
		seen = map[*Vocabulary]bool{}
	}
	if seen[v] {
		return nil
	}
	seen[v] = true
	names = append(names, v.options[name].Names...)
	for _, item := range v.unknownArity {
		if slices.Contains(item, name) {
			names = append(names, item...)
		}
	}
	for _, command := range v.subcommands {
		names = append(names, command.otherNames(name, seen)...)
	}
	return names
}

// addOperand records an operand. Its path is that of the text as a whole, even if the
// program gives the text another meaning.
func (l *lineReader) addOperand(text string, index int) {
	o := gavel.GivenOperand{Text: literalPrefix(text), Dynamic: strings.Contains(text, argv.Unknown), Index: index}
	if !o.Dynamic && text != "" {
		switch {
		case path.IsAbs(text):
			o.Path = path.Clean(text)
		case l.dir != "":
			o.Path = path.Join(l.dir, text)
		}
	}
	l.line.Operands = append(l.line.Operands, o)
}

// literalPrefix returns the literal beginning of a word.
func literalPrefix(text string) string {
	text, _, _ = strings.Cut(text, argv.Unknown)
	return text
}
