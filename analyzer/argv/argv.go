// Package argv splits the words of a command into options, their values and operands. It is the
// only reader of options: hazards, safe bins, wrappers, shells, builtins and programs that run
// code are all read with it, each by its grammar in the catalog of programs. It observes and
// never judges.
//
// There are three kinds of grammar. A plain grammar reads every word and marks where the reading
// becomes uncertain: nobody knows what an unknown option takes, so the words after it may be
// anything. An exact grammar stops at the first word that it does not list, and names that word.
// A doubtful grammar reads on, and reports a word that may be two things as both.
package argv

import "slices"

// How a program reads its arguments. The default is GNU getopt_long: short clusters, attached
// values, --name=value, unambiguous abbreviations, "--", and options after operands unless they
// end there. StyleSingle is the style of find and Go: one dash, whole names, -name=value.
// StylePredicates looks at every word by itself, so that no word can hide as the value of
// another.
const (
	StyleSingle     = "single_dash"
	StylePredicates = "predicates"
)

// Unknown stands for the part of a word that is produced at run time. Several ends a word that
// may become several words, or none.
const (
	Unknown = "\x00"
	Several = Unknown + "\x01"
	// Number stands for the number of a process: digits that are produced at run time, in a text
	// whose rest is literal.
	Number = Unknown + "\x02"
	// Tilde ends a literal word that begins with a tilde. Only the shell knows which directory
	// that is, so the word never counts as harmless.
	Tilde = Unknown + "\x03"
)

// Takes is what an option takes after its name.
type Takes int

// The values of Takes.
const (
	None     Takes = iota
	Optional       // a value in the same word
	Value
	Pair // two words, of which the second counts
)

// words is the number of words that an option takes after it.
func (t Takes) words() int { return max(0, int(t-Optional)) }

// Option is what is known about one option.
type Option struct {
	Name  string
	Takes Takes
	Kind  string   // kind of the hazard, or ""; not read here
	Names []string // all its names, sorted; not read here
	// MinusOnly is true if an exact grammar with Plus does not accept the option after +.
	MinusOnly bool
}

// Grammar is how the words of a program, or of one of its sub-commands, are read. Reading does
// not change it.
type Grammar struct {
	Options      map[string]Option // by name
	Style        string
	Dashless     bool     // the first word may be a cluster without its dash
	EndAtOperand bool     // options end at the first operand
	Subcommands  bool     // reading ends with the first operand
	EndBehind    []string // options after which there are no others
	ShortEquals  bool     // -n=x is -n x
	Exact        Exact
	Doubt        Doubt
}

// Given is one option of a command line.
type Given struct {
	Option
	Known       bool
	HasValue    bool
	Value       string
	First       string // the first of the two words of a pair
	Index       int    // position in argv
	ValueIndex  int    // position of its value, if it has one
	Plus        bool   // it follows +, not -
	Abbreviated bool   // the name may be an abbreviation of another option
}

type Operand struct {
	Text  string
	Index int
	Ended bool // it follows --
	Maybe bool // in a doubtful grammar: it may be the value of the option before it
}

// Reading is the result of reading the words of a command.
type Reading struct {
	Options   []Given
	Operands  []Operand
	Uncertain bool
	Anything  []int   // positions of words that may be any option
	Dashes    []int   // in an exact grammar: positions of lone dashes
	Ended     bool    // in an exact grammar: options were ended by --
	Next      int     // how many of the words were read
	Unread    *Unread // in an exact grammar: the word that it does not list
}

type reader struct {
	Reading
	g     Grammar // not a pointer, so that callers need not allocate theirs
	words []string
	base  int // position of words[0] in argv
	at    int
	ended bool // by --
	short bool // in an exact grammar: an option of one letter was read
}

// Read reads words, the first of which is at position base of argv. A grammar with sub-commands
// reads up to and including the first operand, and leaves the rest to the sub-command.
func (g *Grammar) Read(words []string, base int) Reading {
	r := &reader{g: *g, words: words, base: base}
	switch {
	case g.Exact.On:
		r.exact()
	case g.Doubt.On:
		r.doubtful()
	default:
		r.all()
	}
	r.Next = r.at
	return r.Reading
}

// Has reports whether an option with one of these names is present.
func (r *Reading) Has(names []string) bool {
	return slices.ContainsFunc(r.Options, func(g Given) bool { return slices.Contains(names, g.Name) })
}
