package hazard

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// How far the sub-commands and the options of a command line are known, from best to worst.
const (
	lineExact    = "exact"
	lineUnsure   = "unsure"
	lineProgram  = "program"
	lineUnlisted = "unlisted"
	lineOpen     = "open"
	lineNone     = "none"
)

// Line is the words of a command as its program reads them (gavel.Segment).
type Line struct {
	Commands                    []string
	Options                     []gavel.GivenOption
	Operands                    []gavel.GivenOperand
	CommandsKnown, OptionsKnown string
	// External is the program that the sub-command would run; "" if the sub-command is not a
	// program or is uncertain.
	External string
}

// Runs records that the sub-command, which no grammar lists, is a program of its own.
func (l *Line) Runs() { l.CommandsKnown = lineProgram }

// Unread is the line of words that were not read.
func Unread() Line {
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
			l := liner{root: v, dir: dir, line: Line{Commands: []string{}, Options: []gavel.GivenOption{},
				Operands: []gavel.GivenOperand{}, CommandsKnown: lineExact, OptionsKnown: lineExact}}
			l.program(text)
			line = merged(line, l.line)
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

// merged combines two possible lines into one that covers both.
func merged(a *Line, b Line) *Line {
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

// worse returns the less certain of two values, in the order of the constants. None counts as
// open next to another.
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

type liner struct {
	root *Vocabulary
	dir  string
	line Line
}

// program reads the words of a program. Without a grammar, every word is an operand.
func (l *liner) program(text []string) {
	if l.root == nil {
		l.line.CommandsKnown, l.line.OptionsKnown = lineNone, lineNone
		for i, one := range text[1:] {
			l.operand(one, i+1)
		}
		return
	}
	if len(l.root.commands) == 0 {
		l.line.CommandsKnown = lineNone
	}
	l.level(l.root, text[1:], 1)
}

// level reads the words of a program, or of one of its sub-commands.
func (l *liner) level(v *Vocabulary, words []string, base int) {
	args, rest := v.takeApart(words, base)
	l.options(v, args)
	if len(v.commands) == 0 {
		for _, o := range args.Operands {
			l.operand(o.Text, o.Index)
		}
		return
	}
	if args.Uncertain || len(args.AnyOption) > 0 || !aheadOf(v, args) {
		l.line.CommandsKnown = worse(l.line.CommandsKnown, lineOpen)
	}
	if len(args.Operands) == 0 {
		return
	}
	word := args.Operands[0]
	if strings.Contains(word.Text, argv.Unknown) {
		l.line.CommandsKnown, l.line.OptionsKnown = lineOpen, worse(l.line.OptionsKnown, lineOpen)
	}
	l.line.Commands = append(l.line.Commands, known(word.Text))
	if command := v.commands[word.Text]; command != nil {
		l.level(command, words[rest:], base+rest)
		return
	}
	l.line.CommandsKnown = worse(l.line.CommandsKnown, lineUnlisted)
	if v.external != "" && l.line.CommandsKnown == lineUnlisted && !strings.Contains(word.Text, "/") {
		l.line.External = v.external + word.Text
	}
	l.level(&Vocabulary{style: v.style, equals: v.equals, listed: v.listed}, words[rest:], base+rest)
}

// aheadOf reports whether certainly no option before the sub-command takes it as its value.
func aheadOf(v *Vocabulary, args argv.Reading) bool {
	return len(v.ahead) == 0 || !slices.ContainsFunc(args.Options, func(g argv.GivenOption) bool {
		return g.Abbreviated || !slices.Contains(v.ahead, g.Name)
	})
}

// options records the options of one level.
func (l *liner) options(v *Vocabulary, args argv.Reading) {
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
		l.line.Options = append(l.line.Options, gavel.GivenOption{Name: known(strings.TrimSuffix(g.Name, "*")), Names: l.names(v, g),
			Value: known(g.Value), HasValue: g.HasValue, Dynamic: strings.Contains(g.Name+g.Value, argv.Unknown), Known: g.Known, Index: g.Index})
		// For most programs, the = of -n=x belongs to the value; for some it does not.
		if value, equals := strings.CutPrefix(g.Value, "="); equals && len(g.Name) == 2 && !v.equals {
			again := l.line.Options[len(l.line.Options)-1]
			again.Value = known(value)
			l.line.Options = append(l.line.Options, again)
		}
	}
}

// names returns all names of an option: those with the same meaning at its level, or, if it is
// unknown there, those that it has anywhere in the program.
func (l *liner) names(v *Vocabulary, g argv.GivenOption) []string {
	names := []string{known(strings.TrimSuffix(g.Name, "*"))}
	if g.Known {
		for _, name := range g.Names {
			if o, ok := v.listed[name]; ok && slices.Equal(o.Names, g.Names) {
				names = append(names, strings.TrimSuffix(name, "*"))
			}
		}
	} else {
		names = append(names, l.root.also(g.Name, nil)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// also returns the other names that a program, or one of its sub-commands, has for an option.
func (v *Vocabulary) also(name string, seen map[*Vocabulary]bool) (names []string) {
	if seen == nil {
		seen = map[*Vocabulary]bool{}
	}
	if seen[v] {
		return nil
	}
	seen[v] = true
	names = append(names, v.listed[name].Names...)
	for _, one := range v.unsettled {
		if slices.Contains(one, name) {
			names = append(names, one...)
		}
	}
	for _, command := range v.commands {
		names = append(names, command.also(name, seen)...)
	}
	return names
}

// operand records an operand. To many programs, a word that begins with @ is a file of options.
// Which programs do so is not known here, but the word is reported.
func (l *liner) operand(text string, index int) {
	o := gavel.GivenOperand{Text: known(text), Dynamic: strings.Contains(text, argv.Unknown), Index: index}
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

// known is the literal beginning of a word.
func known(text string) string {
	text, _, _ = strings.Cut(text, argv.Unknown)
	return text
}
