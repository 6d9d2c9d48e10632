package hazard

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
)

// Table is what is known about argument hazards: for each program of the catalog, how its
// arguments are read, and which of them run, write, read or load something or use the network. It
// is immutable once in use, and safe for concurrent use. What a hazard means for a decision is up
// to the policy.
type Table struct {
	programs vocabularies
	harmless map[string]bool // destinations where nothing is stored, such as /dev/null
	Places   Paths           // what the tables say about paths
	Names    *programs.Fold  // how names of programs are compared
}

// The kinds of a hazard, as data.gavel.catalog.exec.hazards names them.
const (
	kindUnknown = "unknown"
	// kindUnread is a text in a small language that was not understood.
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
	style    string
	dashless bool // the first word may be a cluster without its dash
	stop     bool // options end at the first operand
	closed   bool // an option that is not listed is a hazard
	equals   bool // -n=x is -n x
	global   bool // options also hold after sub-commands, with Closed, Ahead and the rules that count no words
	// ahead lists the options that mean the same before and after the sub-command. For any other
	// option, nobody knows whether it takes the next word there. Empty means all.
	ahead    []string
	text     programs.OperandText
	texts    []string // options whose values are not paths
	hands    []string // options whose value names the program that gets the remaining words
	always   string   // kind of hazard that the command is by itself
	alone    []string // words that, given alone, only ask for information
	others   string   // kind of hazard of sub-commands that are not listed
	external string   // prefix of the program name of such a sub-command
	paths    []string // hazards whose argument is a file
	evals    []string // options that hold code or name a file of code, whatever else they do
	pager    *programs.Pager
	terminal *programs.Terminal
	walks    *programs.Walks
	unpacks  *programs.Unpacks
	tests    *programs.Expression
	changes  []programs.ChangedFiles // the files that it changes; nil if only its hazards say so
	worksIn  []string                // options whose value is the directory that it works in
	rules    []rule
	commands map[string]*Vocabulary

	listed    map[string]argv.Option // by name
	unsettled [][]string             // names of options of which nobody knows what they take
	nested    bool                   // it is a sub-command
}

// Option looks up an option by its name. A nil Vocabulary knows none.
func (v *Vocabulary) Option(name string) (option argv.Option, known bool) {
	if v == nil {
		return option, false
	}
	option, known = v.listed[name]
	return option, known
}

// Grammar returns how the words are read. It is empty for a program that the catalog does not
// describe.
func (v *Vocabulary) Grammar() argv.Grammar {
	if v == nil {
		return argv.Grammar{}
	}
	return argv.Grammar{Options: v.listed, Style: v.style, Dashless: v.dashless, EndAtOperand: v.stop, Subcommands: len(v.commands) > 0, EndAfter: v.hands, ShortEquals: v.equals}
}

// takeApart reads the words of the program or sub-command. rest is the number of words that were
// read.
func (v *Vocabulary) takeApart(words []string, base int) (args argv.Reading, rest int) {
	g := v.Grammar()
	args = g.Read(words, base)
	return args, args.Next
}

// kinds returns the sorted kinds of hazard that an option may have.
func (v *Vocabulary) kinds() []string {
	found := map[string]bool{}
	for _, o := range v.listed {
		if o.Kind != "" {
			found[o.Kind] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Means returns the sorted kinds of hazard that an option of a program, or of one of its
// sub-commands, has.
func (h *Table) Means(program, option string) []string {
	_, v := h.Program(program)
	kinds := map[string]bool{}
	v.means(option, kinds)
	return slices.Sorted(maps.Keys(kinds))
}

func (v *Vocabulary) means(option string, kinds map[string]bool) {
	if v == nil {
		return
	}
	if o, ok := v.listed[option]; ok && o.Kind != "" {
		kinds[o.Kind] = true
	}
	for _, r := range v.rules {
		if r.Named == option {
			kinds[r.Means] = true
		}
	}
	for name, inner := range v.commands {
		if name == option && inner.always != "" {
			kinds[inner.always] = true
		}
		inner.means(option, kinds)
	}
}

// New returns the table of a catalog.
func New(catalog *programs.Catalog) (*Table, error) {
	h := &Table{programs: vocabularies{}, harmless: map[string]bool{}, Names: catalog.Fold()}
	made := map[*programs.Entry]*onDemand{}
	var wrong []error
	for _, e := range catalog.Entries() {
		from := catalog.DescribedBy(e)
		if from == nil {
			continue
		}
		if made[from] == nil {
			if err := checkRules(&from.Grammar); err != nil {
				wrong = append(wrong, fmt.Errorf("argument hazards: %s: %w", from.Name, err))
			}
			made[from] = &onDemand{entry: from}
		}
		for _, name := range e.Names() {
			h.programs[name] = made[from]
		}
	}
	return h, errors.Join(wrong...)
}

// vocabularies are the vocabularies of programs, by name. Most processes ask for few of them, so each is
// made when it is first asked for.
type vocabularies map[string]*onDemand

type onDemand struct {
	entry *programs.Entry
	once  sync.Once
	made  *Vocabulary
}

// of returns the vocabulary of a program, or nil.
func (all vocabularies) of(name string) *Vocabulary {
	one := all[name]
	if one == nil {
		return nil
	}
	one.once.Do(func() {
		one.made = &Vocabulary{closed: true, always: kindUnknown} // if making it panics
		v := newVocabulary(&one.entry.Grammar, &one.entry.Grammar)
		v.compile(nil)
		v.external = one.entry.ExternalSubcommands
		if one.entry.ChangesFiles && v.changes == nil {
			v.changes = []programs.ChangedFiles{{}}
		}
		one.made = v
	})
	return one.made
}

// Learn adds what the tables say about paths, and the destinations where nothing is stored. It
// must not be called once the table is in use.
func (h *Table) Learn(t PathTable, harmless []string) error {
	for _, name := range harmless {
		h.harmless[name] = true
	}
	return h.Places.add(t)
}

// Stores reports whether what is written to a destination may be kept there.
func (h *Table) Stores(destination string) bool { return !h.harmless[destination] }

// newVocabulary builds a vocabulary from a grammar; root is the grammar of the program.
func newVocabulary(g, root *programs.Grammar) *Vocabulary {
	v := &Vocabulary{style: g.Style, dashless: g.DashlessFirstWord, stop: g.OptionsEndAtOperand, closed: g.ListsEveryOption, equals: g.ShortEquals,
		global: g.OptionsHoldInSubcommands, text: g.OperandsAreText, always: g.Always, alone: g.AsksAboutItself,
		others: g.OtherSubcommands, pager: g.Pager, terminal: g.Terminal, walks: g.Walks, unpacks: g.Unpacks, tests: g.Expression, changes: g.Changes, listed: map[string]argv.Option{}}
	for _, o := range g.Options {
		v.add(o)
	}
	for _, r := range g.Rules {
		v.rules = append(v.rules, rule{r})
		if r.File {
			v.paths = append(v.paths, r.Named)
		}
	}
	if len(g.Subcommands)+len(g.HarmlessSubcommands) > 0 {
		v.commands = map[string]*Vocabulary{}
	}
	for _, name := range g.HarmlessSubcommands {
		v.commands[name] = &Vocabulary{}
	}
	for _, name := range g.SortedSubcommands() {
		sub := g.Subcommands[name]
		from := &sub.Grammar
		if sub.Like != "" {
			from = root.At(strings.Fields(sub.Like)...)
		}
		command := newVocabulary(from, root)
		for _, known := range append([]string{name}, sub.Aliases...) {
			v.commands[known] = command
		}
	}
	return v
}

// add adds one option under all its spellings. If nobody knows what an option takes, it is not
// listed and may have any effect that is known of it.
func (v *Vocabulary) add(o programs.Option) {
	names := slices.Sorted(slices.Values(o.Names))
	if o.Value == programs.ValueUnknown {
		v.unsettled = append(v.unsettled, names)
	}
	for _, name := range o.Names {
		known := argv.Option{Name: name, Names: names}
		for _, kind := range o.Means {
			if kind == KindProgram {
				v.evals = append(v.evals, name)
			} else {
				known.Kind = kind
			}
		}
		for list, belongs := range map[*[]string]bool{&v.texts: o.Text, &v.hands: o.Program, &v.ahead: o.SameBeforeSubcommand, &v.paths: o.File, &v.worksIn: o.WorksIn} {
			if belongs {
				*list = append(*list, name)
			}
		}
		if o.Value == programs.ValueUnknown {
			continue
		}
		known.Takes = o.Value.Takes()
		v.listed[name] = known
	}
}

// compile gives every sub-command what it inherits. inherited are the options of the commands
// above it.
func (v *Vocabulary) compile(inherited map[string]argv.Option) {
	switch {
	case len(v.listed) == 0 && inherited != nil:
		v.listed = inherited
	case inherited != nil:
		own := v.listed
		v.listed = maps.Clone(inherited)
		maps.Copy(v.listed, own)
	}
	v.compileCommands()
}

// several reports whether a word may become several words, or none.
func several(word string) bool { return strings.HasSuffix(word, argv.Several) }

// optionDynamic is the name of the hazard of a word that is produced at run time and may be a
// hazardous option.
const optionDynamic = "dynamic"
