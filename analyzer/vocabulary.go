package analyzer

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// Hazards is what is known of argument hazards: for each program of the catalog, how its
// arguments are taken apart, and which of them run, write, read, reach or load something.
// It never changes, and is safe for concurrent use. What a hazard does to a verdict is not
// said here.
type Hazards struct {
	programs map[string]*vocabulary
	harmless map[string]bool // destinations to which nothing is written
	places   places
	names    *programs.Fold
}

// The kinds of a hazard, as data.gavel.catalog.exec.hazards names them.
const (
	hazardUnknown = "unknown"
	// hazardUnread is a text in a small language that was not understood.
	hazardUnread = "unread"
	// hazardInline is code on the command line, and hazardProgram the same in a
	// small language, such as that of sed, whatever it does.
	hazardInline  = "inline"
	hazardProgram = "program"
	// hazardCode is code on the command line whatever it does.
	hazardCode = "code"
	// hazardCarried is what would be one of those, among the words of a program
	// that is not known.
	hazardCarried = "carried"
)

// vocabulary is how one program, or one of its sub-commands, reads its arguments: its
// grammar, made for looking up.
type vocabulary struct {
	Style  string
	Old    bool // the first word may be a cluster without its dash
	Stop   bool // options end at the first operand
	Closed bool // an option that is not listed is a hazard
	Global bool // options hold behind sub-commands, with Closed, Ahead and rules that count no words
	// Ahead lists the options that mean before the sub-command what they mean behind it;
	// of any other nobody knows whether it takes the next word there. Empty means all.
	Ahead    []string
	Text     programs.OperandText
	Texts    []string // options whose values are not paths
	Hands    []string // options whose value is the name of a program that gets the rest
	Always   string   // kind of the hazard that it is by itself
	Alone    []string // words of which one, and no other, only asks about it
	Others   string   // kind of sub-commands that are not listed
	Paths    []string // hazards whose argument is a file
	Evals    []string // options that hold code, or name what does, whatever else they are
	Pager    *programs.Pager
	Rules    []rule
	Commands map[string]*vocabulary

	listed map[string]argv.Option // by name
	nested bool                   // it is a sub-command
}

// takeApart reads the words of the program, or of one of its sub-commands; rest is how
// many of them were read.
func (v *vocabulary) takeApart(words []string, base int) (args argv.Reading, rest int) {
	g := argv.Grammar{Options: v.listed, Style: v.Style, Dashless: v.Old, EndAtOperand: v.Stop, Subcommands: len(v.Commands) > 0, EndBehind: v.Hands}
	args = g.Read(words, base)
	return args, args.Next
}

// kinds returns the kinds of hazard that an option may have, sorted.
func (v *vocabulary) kinds() []string {
	found := map[string]bool{}
	for _, o := range v.listed {
		if o.Kind != "" {
			found[o.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Means returns the kinds of hazard that an option of a program, or of one of its
// sub-commands, is, sorted.
func (h *Hazards) Means(program, option string) []string {
	_, v := h.program(program)
	kinds := map[string]bool{}
	v.means(option, kinds)
	return slices.Sorted(maps.Keys(kinds))
}

func (v *vocabulary) means(option string, kinds map[string]bool) {
	if v == nil {
		return
	}
	if o, ok := v.listed[option]; ok && o.Kind != "" {
		kinds[o.Kind] = true
	}
	for _, r := range v.Rules {
		if r.Named == option {
			kinds[r.Means] = true
		}
	}
	for name, inner := range v.Commands {
		if name == option && inner.Always != "" {
			kinds[inner.Always] = true
		}
		inner.means(option, kinds)
	}
}

// newHazards makes the vocabularies of a catalog.
func newHazards(catalog *programs.Catalog) (*Hazards, error) {
	h := &Hazards{programs: map[string]*vocabulary{}, harmless: map[string]bool{}, names: catalog.Fold()}
	made := map[*programs.Entry]*vocabulary{}
	var wrong []error
	for _, e := range catalog.Entries() {
		from := catalog.Described(e)
		if from == nil {
			continue
		}
		if made[from] == nil {
			v, err := newVocabulary(&from.Grammar, &from.Grammar)
			if err == nil {
				err = v.compile(nil)
			}
			if err != nil {
				wrong = append(wrong, fmt.Errorf("argument hazards: %s: %w", from.Name, err))
				continue
			}
			made[from] = v
		}
		for _, name := range e.Names() {
			h.programs[name] = made[from]
		}
	}
	return h, errors.Join(wrong...)
}

// newVocabulary takes a grammar over; root is that of the program.
func newVocabulary(g, root *programs.Grammar) (*vocabulary, error) {
	v := &vocabulary{Style: g.Style, Old: g.DashlessFirstWord, Stop: g.OptionsEndAtOperand, Closed: g.ListsEveryOption,
		Global: g.OptionsHoldInSubcommands, Text: g.OperandsAreText, Always: g.Always, Alone: g.AsksAboutItself,
		Others: g.OtherSubcommands, Pager: g.Pager, listed: map[string]argv.Option{}}
	for _, o := range g.Options {
		v.add(o)
	}
	for _, r := range g.Rules {
		if r.Grammar != "" && harmlessBy(r.Grammar) == nil {
			return nil, fmt.Errorf("rule %q: grammar %q is none", r.Named, r.Grammar)
		}
		v.Rules = append(v.Rules, rule{r})
		if r.File {
			v.Paths = append(v.Paths, r.Named)
		}
	}
	if len(g.Subcommands)+len(g.HarmlessSubcommands) > 0 {
		v.Commands = map[string]*vocabulary{}
	}
	for _, name := range g.HarmlessSubcommands {
		v.Commands[name] = &vocabulary{}
	}
	for _, name := range g.SortedSubcommands() {
		sub := g.Subcommands[name]
		from := &sub.Grammar
		if sub.Like != "" {
			from = root.At(strings.Fields(sub.Like)...)
		}
		command, err := newVocabulary(from, root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, known := range append([]string{name}, sub.Aliases...) {
			v.Commands[known] = command
		}
	}
	return v, nil
}

// add notes one option by all its spellings. One of which nobody knows what it takes is
// not listed, and may have any effect that is known of it.
func (v *vocabulary) add(o programs.Option) {
	for _, name := range o.Names {
		known := argv.Option{Name: name}
		for _, kind := range o.Means {
			if kind == hazardProgram {
				v.Evals = append(v.Evals, name)
			} else {
				known.Kind = kind
			}
		}
		for list, belongs := range map[*[]string]bool{&v.Texts: o.Text, &v.Hands: o.Program, &v.Ahead: o.SameBeforeSubcommand, &v.Paths: o.File} {
			if belongs {
				*list = append(*list, name)
			}
		}
		if o.Value == programs.ValueUnknown {
			continue
		}
		known.Takes = taken(o.Value)
		v.listed[name] = known
	}
}

// compile gives every sub-command what it inherits; inherited are the options of the
// commands above it.
func (v *vocabulary) compile(inherited map[string]argv.Option) error {
	switch {
	case len(v.listed) == 0 && inherited != nil:
		v.listed = inherited
	case inherited != nil:
		own := v.listed
		v.listed = maps.Clone(inherited)
		maps.Copy(v.listed, own)
	}
	return v.compileCommands()
}

// taken is what an option takes.
func taken(value programs.Value) argv.Takes {
	switch value {
	case programs.ValueOptional:
		return argv.Optional
	case programs.ValueRequired:
		return argv.Value
	case programs.ValuePair:
		return argv.Pair
	default:
		return argv.None
	}
}

// several reports whether a word may become several words, or none.
func several(word string) bool { return strings.HasSuffix(word, argv.Several) }

// hazardDynamic is the name of the hazard that a word made at run time may be an
// option with one.
const hazardDynamic = "dynamic"
