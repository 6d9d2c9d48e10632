// Package argv splits the words of a command into options, their values and operands. It takes the
// words and a [Grammar], and returns a [Reading]. It is the only parser of options: hazards, safe
// bins, wrappers, shells, builtins and programs that run code all use it, each with a grammar from
// the catalog of programs. It observes and never judges.
//
// There are three kinds of grammar. A plain grammar (plain.go) reads every word and marks where the
// reading becomes uncertain: whether an unknown option takes a value is unknown, so the words after
// it may be anything. An exact grammar (exact.go) stops at the first word that it does not list, and
// returns that word. A doubtful grammar (doubtful.go) reads on, and reports a word that may be two
// things as both.
package argv

import "slices"

// How a program reads its arguments. The default is GNU getopt_long: short clusters, attached
// values, --name=value, unambiguous abbreviations, "--", and options after operands unless they
// end there. StyleSingle is the style of find and Go: one dash, whole names, -name=value.
// StylePredicates also reads each word by itself, so that no word is hidden as the value of
// another.
const (
	StyleSingle     = "single_dash"
	StylePredicates = "predicates"
)

// Markers in words whose text is not fully known.
const (
	// Unknown stands for the part of a word that is produced at run time.
	Unknown = "\x00"
	// Several ends a word that may become several words, or none.
	Several = Unknown + "\x01"
	// Number stands for a process id: digits that are produced at run time, in an otherwise literal
	// text.
	Number = Unknown + "\x02"
	// Tilde ends a literal word that begins with a tilde. Only the shell knows which directory the
	// tilde is, so the word never counts as harmless.
	Tilde = Unknown + "\x03"
)

// Takes says which value an option takes.
type Takes int

// The values of Takes.
const (
	None     Takes = iota
	Optional       // a value in the same word
	Value
	Pair // two words, of which the second is the value
)

// nextWords returns how many of the following words an option takes.
func (t Takes) nextWords() int { return max(0, int(t-Optional)) }

// Option is what is known about one option.
type Option struct {
	Name  string
	Takes Takes
	Kind  string   // kind of the hazard, or ""; not read here
	Names []string // all its names, sorted; not read here
	// MinusOnly is true if an exact grammar with Plus does not accept the option after +.
	MinusOnly bool
}

// Grammar says how the words of a program, or of one of its sub-commands, are read. Reading does
// not change it.
type Grammar struct {
	Options      map[string]Option // by name
	Style        string
	Dashless     bool     // the first word may be a cluster without its dash
	EndAtOperand bool     // options end at the first operand
	Subcommands  bool     // reading ends with the first operand
	EndAfter     []string // options after which there are no others
	ShortEquals  bool     // -n=x is -n x
	Exact        Exact
	Doubt        Doubt
}

// GivenOption is one option as a command line has it.
type GivenOption struct {
	Option
	Known       bool
	HasValue    bool
	Value       string
	First       string // the first of the two words of a pair
	Index       int    // in argv
	ValueIndex  int    // index of its value, if it has one
	Plus        bool   // it was written with +, not -
	Abbreviated bool   // the name may be an abbreviation of another option
}

// Operand is a word that is neither an option nor the value of one.
type Operand struct {
	Text       string
	Index      int
	Ended      bool // it follows --
	MaybeValue bool // in a doubtful grammar: it may be the value of the option before it
}

// Reading is the result of reading the words of a command.
type Reading struct {
	Options   []GivenOption
	Operands  []Operand
	Uncertain bool
	AnyOption []int   // indexes of words that may be any option
	Dashes    []int   // in an exact grammar: indexes of lone dashes
	Ended     bool    // in an exact grammar: options were ended by --
	Next      int     // number of words that were read
	Unread    *Unread // in an exact grammar: the word that it does not list
}

// reader reads one list of words.
type reader struct {
	Reading
	g     Grammar // not a pointer, so that callers need not allocate theirs
	words []string
	base  int  // index of words[0] in argv
	next  int  // index in words of the next word
	ended bool // by --
	short bool // in an exact grammar: an option of one letter was read
}

// Read reads words, the first of which has index base in argv. A grammar with sub-commands
// reads up to and including the first operand, and leaves the rest to the sub-command.
func (g *Grammar) Read(words []string, base int) Reading {
	r := &reader{g: *g, words: words, base: base}
	switch {
	case g.Exact.On:
		r.readExact()
	case g.Doubt.On:
		r.readDoubtful()
	default:
		r.readPlain()
	}
	r.Next = r.next
	return r.Reading
}

// Has reports whether an option with one of these names is present.
func (r *Reading) Has(names []string) bool {
	return slices.ContainsFunc(r.Options, func(g GivenOption) bool { return slices.Contains(names, g.Name) })
}

// ValuesOf returns the values of the options that have one of these names.
func (r *Reading) ValuesOf(names []string) (list []string) {
	for _, g := range r.Options {
		if g.HasValue && slices.Contains(names, g.Name) {
			list = append(list, g.Value)
		}
	}
	return list
}
