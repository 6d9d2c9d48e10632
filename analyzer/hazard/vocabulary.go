package hazard

import (
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// The kinds of a hazard, as data.gavel.catalog.exec.hazards names them.
const (
	kindUnknown = "unknown"
	// kindUnread is a program in a small language that was not understood.
	kindUnread = "unread"
	// KindInline is code on the command line. KindProgram is code in a small language, such as
	// that of sed, whatever it does.
	KindInline  = "inline"
	KindProgram = "program"
	// kindCode is code on the command line, whatever it does.
	kindCode = "code"
	// kindCarried is inline code among the words of an unknown program.
	kindCarried = "carried"
)

// Vocabulary is how one program, or one of its sub-commands, reads its arguments. It is the
// grammar of the catalog, prepared for lookups. A nil Vocabulary knows nothing.
type Vocabulary struct {
	style            string
	dashless         bool // the first word may be a cluster without its dash
	endAtOperand     bool // options end at the first operand
	listsEveryOption bool // an option that is not listed is a hazard
	shortEquals      bool // -n=x is -n x
	optionsInherited bool // options also apply after sub-commands, and so do listsEveryOption, sameBefore and the rules that count no operands
	// sameBefore lists the options that mean the same before and after the sub-command. Any other option
	// may or may not take the next word there. Empty means all.
	sameBefore       []string
	operandText      programs.OperandText
	textOptions      []string // options whose values are not paths
	programOptions   []string // options whose value names the program that gets the remaining words
	always           string   // kind of hazard that the command is by itself
	informationWords []string // words that, given alone, only ask for information
	otherSubcommands string   // kind of hazard of sub-commands that are not listed
	externalPrefix   string   // prefix of the program name of such a sub-command
	fileHazards      []string // hazards whose argument is a file
	codeOptions      []string // options whose value is code or a code file, whatever else they do
	pager            *programs.Pager
	terminal         *programs.Terminal
	walks            *programs.Walks
	repository       *programs.Repository        // of commands that take untracked files into one
	tracked          *programs.ListsTrackedFiles // likewise
	unpacks          *programs.Unpacks
	settings         *settings // where it finds its settings; nil if nowhere
	expression       *programs.Expression
	changes          []programs.ChangedFiles // the files that it changes; nil if only its hazards say so
	directoryOptions []string                // options whose value is the directory that it works in
	rules            []rule
	subcommands      map[string]*Vocabulary

	options      map[string]argv.Option // by name
	unknownArity [][]string             // names of options that may or may not take a value
	isSubcommand bool                   // it is a sub-command
}

// Option looks up an option by its name. A nil Vocabulary knows none.
func (v *Vocabulary) Option(name string) (option argv.Option, known bool) {
	if v == nil {
		return option, false
	}
	option, known = v.options[name]
	return option, known
}

// Grammar returns the grammar for package argv. It is empty for a program that the catalog does not
// describe.
func (v *Vocabulary) Grammar() argv.Grammar {
	if v == nil {
		return argv.Grammar{}
	}
	return argv.Grammar{Options: v.options, Style: v.style, Dashless: v.dashless, EndAtOperand: v.endAtOperand, Subcommands: len(v.subcommands) > 0, EndAfter: v.programOptions, ShortEquals: v.shortEquals}
}

// read reads the words of the program or sub-command. base is the index of words[0] in argv, and rest is
// the number of words that were read.
func (v *Vocabulary) read(words []string, base int) (args argv.Reading, rest int) {
	g := v.Grammar()
	args = g.Read(words, base)
	return args, args.Next
}

// kinds returns the sorted kinds of hazard that an option may have.
func (v *Vocabulary) kinds() []string {
	found := map[string]bool{}
	for _, o := range v.options {
		if o.Kind != "" {
			found[o.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

func (v *Vocabulary) means(option string, kinds map[string]bool) {
	if v == nil {
		return
	}
	if o, ok := v.options[option]; ok && o.Kind != "" {
		kinds[o.Kind] = true
	}
	for _, r := range v.rules {
		if r.HazardName == option {
			kinds[r.Means] = true
		}
	}
	for name, inner := range v.subcommands {
		if name == option && inner.always != "" {
			kinds[inner.always] = true
		}
		inner.means(option, kinds)
	}
}

// newVocabulary builds a vocabulary from a grammar; root is the grammar of the program.
func newVocabulary(g, root *programs.Grammar) *Vocabulary {
	v := &Vocabulary{style: g.Style, dashless: g.DashlessFirstWord, endAtOperand: g.OptionsEndAtOperand, listsEveryOption: g.ListsEveryOption, shortEquals: g.ShortEquals,
		optionsInherited: g.OptionsHoldInSubcommands, operandText: g.OperandsAreText, always: g.Always, informationWords: g.InformationWords,
		otherSubcommands: g.OtherSubcommands, pager: g.Pager, terminal: g.Terminal, walks: g.Walks, unpacks: g.Unpacks, expression: g.Expression, changes: g.Changes, options: map[string]argv.Option{}}
	if g.Settings != nil {
		v.settings = &settings{g.Settings}
	}
	for _, o := range g.Options {
		v.add(o)
	}
	for _, r := range g.Rules {
		v.rules = append(v.rules, rule{r})
		if r.File {
			v.fileHazards = append(v.fileHazards, r.HazardName)
		}
	}
	if len(g.Subcommands)+len(g.HarmlessSubcommands) > 0 {
		v.subcommands = map[string]*Vocabulary{}
	}
	for _, name := range g.HarmlessSubcommands {
		v.subcommands[name] = &Vocabulary{}
	}
	for _, name := range g.SortedSubcommands() {
		sub := g.Subcommands[name]
		from := &sub.Grammar
		if sub.Like != "" {
			from = root.At(strings.Fields(sub.Like)...)
		}
		command := newVocabulary(from, root)
		for _, known := range append([]string{name}, sub.Aliases...) {
			v.subcommands[known] = command
		}
	}
	return v
}

// add adds one option under all its names. An option that may or may not take a value is not listed;
// it counts as unknown where it occurs.
func (v *Vocabulary) add(o programs.Option) {
	names := slices.Sorted(slices.Values(o.Names))
	if o.Value == programs.ValueUnknown {
		v.unknownArity = append(v.unknownArity, names)
	}
	for _, name := range o.Names {
		known := argv.Option{Name: name, Names: names}
		for _, kind := range o.Means {
			if kind == KindProgram {
				v.codeOptions = append(v.codeOptions, name)
			} else {
				known.Kind = kind
			}
		}
		for list, belongs := range map[*[]string]bool{&v.textOptions: o.Text, &v.programOptions: o.Program, &v.sameBefore: o.SameBeforeSubcommand, &v.fileHazards: o.File, &v.directoryOptions: o.WorksIn} {
			if belongs {
				*list = append(*list, name)
			}
		}
		if o.Value == programs.ValueUnknown {
			continue
		}
		known.Takes = o.Value.Takes()
		v.options[name] = known
	}
}

// compile passes inherited options and rules on to every sub-command. inherited are the options of the
// commands above this one.
func (v *Vocabulary) compile(inherited map[string]argv.Option) {
	switch {
	case len(v.options) == 0 && inherited != nil:
		v.options = inherited
	case inherited != nil:
		own := v.options
		v.options = maps.Clone(inherited)
		maps.Copy(v.options, own)
	}
	v.compileCommands()
}

// maySplit reports whether a word may become several words, or none.
func maySplit(word string) bool { return strings.HasSuffix(word, argv.Several) }

// optionDynamic is the name of the hazard of a word that is produced at run time and may be a
// hazardous option.
const optionDynamic = "dynamic"
