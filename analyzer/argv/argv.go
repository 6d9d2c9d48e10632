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

import (
	"slices"
	"strings"
)

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

func (r *reader) all() {
	if r.g.Dashless && len(r.words) > 0 && !strings.HasPrefix(r.words[0], "-") {
		r.old()
	}
	for r.at < len(r.words) {
		word := r.words[r.at]
		r.at++
		r.dynamic(word)
		switch {
		case word == "--" && !r.ended && r.g.Style != StylePredicates:
			r.ended = !r.Uncertain
		case r.ended || word == "-" || !strings.HasPrefix(word, "-"):
			r.operand(word)
			if r.g.Subcommands {
				return
			}
			r.ended = r.ended || r.g.EndAtOperand
		case r.g.Style != "":
			r.whole(word)
		case strings.HasPrefix(word, "--"):
			r.long(word)
		default:
			r.cluster(word)
		}
	}
}

// dynamic notes a word that is made at run time, and may be any option. Then nothing
// is certain about the words behind it.
func (r *reader) dynamic(word string) {
	may := strings.HasPrefix(word, Unknown) || word == "-"+Unknown || word == "--"+Unknown
	if r.ended || !may || strings.HasPrefix(word, Unknown+Unknown) {
		return
	}
	r.Anything = append(r.Anything, r.base+r.at-1)
	r.Uncertain = true
}

func (r *reader) operand(word string) {
	if r.Operands == nil {
		r.Operands = make([]Operand, 0, len(r.words)-r.at+1)
	}
	r.Operands = append(r.Operands, Operand{Text: word, Index: r.base + r.at - 1})
}

// put notes an option that is in the word just read. One that wants a value
// and has none attached takes the next word, or the next two; where that is not
// certain, and where such a word may become several, of which the second may be an
// option, the words are looked at once more by themselves.
func (r *reader) put(o Option, known bool, attached string, hasValue bool) {
	g := Given{Option: o, Known: known, Value: attached, HasValue: hasValue, Index: r.base + r.at - 1, ValueIndex: r.base + r.at - 1}
	wants := o.Takes.words()
	if wants > 0 && !hasValue && r.at+wants <= len(r.words) {
		g.Value, g.HasValue, g.ValueIndex = r.words[r.at+wants-1], true, r.base+r.at+wants-1
		r.Uncertain = r.Uncertain || slices.ContainsFunc(r.words[r.at:r.at+wants], func(word string) bool { return strings.HasSuffix(word, Several) })
		if !r.Uncertain && r.g.Style != StylePredicates {
			r.at += wants
		}
	}
	r.Options = append(r.Options, g)
	r.ended = r.ended || known && slices.Contains(r.g.EndBehind, o.Name)
}

// unknown notes an option that the vocabulary does not have.
func (r *reader) unknown(name, value string, hasValue bool) {
	if strings.Contains(name, Unknown) {
		r.Anything = append(r.Anything, r.base+r.at-1)
	}
	r.put(Option{Name: name}, false, value, hasValue)
	if !hasValue {
		r.Uncertain = true
	}
}

// whole reads an option of one word, with one dash or two.
func (r *reader) whole(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	if strings.HasPrefix(name, "--") && r.option(name) == nil {
		name = name[1:]
	}
	if r.g.Style == StylePredicates && r.option(name) == nil {
		name = strings.ToLower(name) // no find reads -EXEC, and none has both
	}
	if o := r.option(name); o != nil {
		r.put(*o, true, value, hasValue)
		return
	}
	for _, o := range r.g.Options {
		if prefix, ok := strings.CutSuffix(o.Name, "*"); ok && strings.HasPrefix(word, prefix) {
			o.Takes = Optional
			r.put(o, true, word[len(prefix):], true)
			return
		}
	}
	r.unknown(name, value, hasValue)
}

func (r *reader) option(name string) *Option {
	if o, ok := r.g.Options[name]; ok {
		return &o
	}
	return nil
}

// long reads --name and --name=value. An abbreviation is every option that it may
// stand for: a program refuses an ambiguous one, and we need not know.
func (r *reader) long(word string) {
	name, value, hasValue := strings.Cut(word, "=")
	name = strings.ReplaceAll(name, "_", "-")
	if o := r.option(name); o != nil {
		r.put(*o, true, value, hasValue)
		return
	}
	var candidates []Option
	from := len(r.Options)
	for _, o := range r.g.Options {
		if strings.HasPrefix(o.Name, name) {
			candidates = append(candidates, o)
		}
	}
	switch len(candidates) {
	case 0:
		r.unknown(name, value, hasValue)
	case 1:
		r.put(candidates[0], true, value, hasValue)
	default:
		r.Uncertain = r.Uncertain || !hasValue
		for _, o := range candidates {
			r.put(o, true, value, hasValue)
		}
	}
	for i := from; i < len(r.Options); i++ {
		r.Options[i].Abbreviated = true
	}
}

// cluster reads short options in one word. Digits stand for numbers, as in -20,
// unless they are listed.
func (r *reader) cluster(word string) {
	if o := r.option(word); o != nil && len(word) > 2 {
		r.put(*o, true, "", false)
		return
	}
	sure := true
	for i := 1; i < len(word); i++ {
		o := r.option("-" + word[i:i+1])
		rest := word[i+1:]
		switch {
		case o == nil && '0' <= word[i] && word[i] <= '9':
		case o == nil:
			sure = false
			r.unknown("-"+word[i:i+1], "", false)
		case o.Takes == None:
			r.put(*o, true, "", false)
		default:
			attached := rest
			if r.g.ShortEquals {
				attached = strings.TrimPrefix(rest, "=")
			}
			r.put(*o, true, attached, rest != "" || o.Takes == Optional)
			if sure {
				return
			}
		}
	}
}

// old reads a first word that is a cluster without its dash, as tar does: the
// values follow as words, in order.
func (r *reader) old() {
	letters := r.words[0]
	r.at = 1
	for i := range len(letters) {
		o := r.option("-" + letters[i:i+1])
		if o == nil {
			r.unknown("-"+letters[i:i+1], "", false)
		} else {
			r.put(*o, true, "", false)
		}
	}
}
