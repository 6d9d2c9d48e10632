// Package argv takes the words of a command apart into options, their values and operands.
// It is the one reader of options: hazards, safe bins, wrappers, shells, builtins and
// programs that run code are read with it, each by the grammar that the catalog of programs
// has. It observes and never judges.
//
// There are three ways. A grammar reads everything, and says where nothing is certain any
// more: what an unknown option takes is unknown, so the words behind it may be anything.
// An exact grammar stops at the first word that it does not have, and names it. A doubtful
// one reads on, and says of a word which may be two things that it is both.
package argv

import "slices"

// How a program reads its arguments. The default is getopt_long of GNU: short
// clusters, attached values, --name=value, unambiguous abbreviations, "--", and
// options behind operands unless they end there. StyleSingle is that of find's
// and Go's relatives: one dash, whole names, -name=value. StylePredicates looks at every
// word by itself, so that nothing is hidden as another one's value.
const (
	StyleSingle     = "single_dash"
	StylePredicates = "predicates"
)

// Unknown stands in a word for what is made at run time, and Several ends one that may
// become several words, or none.
const (
	Unknown = "\x00"
	Several = Unknown + "\x01"
	// Number stands for a number that is made at run time, in a text of which the rest is
	// written: that of a process, which is digits.
	Number = Unknown + "\x02"
	// Tilde ends a word that is written but for the home directory at its beginning. It is
	// the shell's to say which that is, so nothing may be concluded in favour of the word.
	Tilde = Unknown + "\x03"
)

// Takes is what an option takes behind its name.
type Takes int

// What an option takes.
const (
	None     Takes = iota
	Optional       // a value in the same word
	Value
	Pair // two words, of which the second counts
)

// words is how many words behind it an option takes.
func (t Takes) words() int { return max(0, int(t-Optional)) }

// Option is what is known of one option.
type Option struct {
	Name  string
	Takes Takes
	Kind  string   // of the hazard that it is, or ""; nothing here reads it
	Names []string // all its names, sorted; nothing here reads them
	// MinusOnly says that an exact grammar with Plus does not have it behind +.
	MinusOnly bool
}

// Grammar is how the words of a program, or of one of its sub-commands, are read. It is
// only read.
type Grammar struct {
	Options      map[string]Option // by name
	Style        string
	Dashless     bool     // the first word may be a cluster without its dash
	EndAtOperand bool     // options end at the first operand
	Subcommands  bool     // reading ends with the first operand
	EndBehind    []string // options behind which there are none
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
	First       string // of the two words of a pair, the first
	Index       int    // position in argv
	ValueIndex  int    // position of its value, if it has one
	Plus        bool   // it is behind +, not -
	Abbreviated bool   // a program may know another option by the name as it stands
}

// Operand is one operand of a command line.
type Operand struct {
	Text  string
	Index int
	Ended bool // it is behind --
	Maybe bool // of a doubtful grammar: it may be the value of the option before it
}

// Reading is a command line analyzed.
type Reading struct {
	Options   []Given
	Operands  []Operand
	Uncertain bool
	Anything  []int   // positions of words that may be any option
	Dashes    []int   // of an exact grammar: positions of lone dashes
	Ended     bool    // of an exact grammar: by --
	Next      int     // how many of the words were read
	Unread    *Unread // of an exact grammar: the word that it does not have
}

// reader takes the words of one command apart.
type reader struct {
	Reading
	g     Grammar // not a pointer: so callers need no memory for theirs
	words []string
	base  int // position of words[0] in argv
	at    int
	ended bool // by --
	short bool // of an exact grammar: an option of one letter was read
}

// Read reads words, the first of which stands at position base of argv. Of a grammar with
// sub-commands it reads what stands before the first operand, and that, and leaves the
// rest to the sub-command.
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

// Has reports whether an option is there by one of some names.
func (r *Reading) Has(names []string) bool {
	return slices.ContainsFunc(r.Options, func(g Given) bool { return slices.Contains(names, g.Name) })
}
