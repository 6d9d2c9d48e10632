package argv

import "strings"

// Exact configures an exact grammar. Such a grammar is complete: nothing is abbreviated, and
// nothing is guessed.
type Exact struct {
	On             bool
	NumberFirst    bool // the first word may be -5, which is the option -NUM
	Numbers        bool // -N, a number, is an option that is ignored
	ValuesAreWords bool // values are separate words: neither -n5 nor --lines=5
	NeedsValue     bool // an optional value is required
	Plus           bool // + is accepted like -, as in set +e
	LongFirst      bool // long options must come before all others
	Dash           Dash
}

// Dash says what a lone dash is.
type Dash int

// The values of Dash.
const (
	DashInput   Dash = iota // standard input, wherever it stands
	DashWrong               // a word that the grammar does not list
	DashEnds                // the last option
	DashOperand             // an operand
)

// Unread is the word that an exact grammar does not list.
type Unread struct {
	Option string
	Word   string
	Why    string
	Index  int
}

// Why a word was not read.
const (
	WhyUnknown   = "it is not an option that the profile lists"
	WhyNoValue   = "its value is missing"
	WhySurplus   = "it takes no value"
	WhyMisplaced = "its value is in the wrong position"
)

// NumberOption is the name of -5.
const NumberOption = "-NUM"

// exact reads words until one is not in the grammar, or until an operand ends the options.
func (r *reader) exact() {
	for r.at < len(r.words) && r.Unread == nil {
		word := r.words[r.at]
		switch {
		case word == "-" && !(r.ended && r.g.EndAtOperand):
			if r.dash() {
				return
			}
		case r.ended || !strings.HasPrefix(word, "-") && !(r.g.Exact.Plus && strings.HasPrefix(word, "+")):
			if r.g.EndAtOperand {
				return
			}
			r.Operands = append(r.Operands, Operand{Text: word, Index: r.base + r.at, Ended: r.ended})
			r.at++
		case word == "--":
			r.ended, r.Ended = true, true
			r.at++
			if r.g.EndAtOperand {
				return
			}
		default:
			r.at++
			r.exactWord(word)
		}
	}
}

// dash reads a lone dash, and reports whether it ends the options.
func (r *reader) dash() (ends bool) {
	r.at++
	switch r.g.Exact.Dash {
	case DashInput:
		r.Dashes = append(r.Dashes, r.base+r.at-1)
	case DashWrong:
		r.unread("-", WhyUnknown)
	case DashEnds:
		return true
	case DashOperand:
		r.at--
		return true
	}
	return false
}

func (r *reader) exactWord(word string) {
	whole, known := r.g.Options[word]
	switch {
	case known && len(word) > 2 && word[1] != '-': // an option with one dash and a whole name
		r.separate(whole)
	case r.g.Exact.NumberFirst && r.at == 1 && number(word[1:]):
		r.exactly(Option{Name: NumberOption}, word[1:])
	case strings.HasPrefix(word, "--"):
		r.exactLong(word)
	case r.g.Exact.Numbers && number(word[1:]):
	default:
		r.exactCluster(word)
	}
}

func (r *reader) exactLong(word string) {
	name, value, attached := strings.Cut(word, "=")
	o, known := r.g.Options[name]
	switch {
	case !known, r.g.Exact.LongFirst && r.short:
		r.unread(name, WhyUnknown)
	case attached && o.Takes == None:
		r.unread(name, WhySurplus)
	case attached && (r.g.Exact.ValuesAreWords || o.Takes == Pair), !attached && o.Takes == Optional && r.g.Exact.NeedsValue:
		r.unread(name, WhyMisplaced)
	case attached:
		r.exactly(o, value)
	default:
		r.separate(o)
	}
}

// exactCluster reads -abc: options without a value, the last of which may have one.
func (r *reader) exactCluster(word string) {
	r.short = true
	if len(word) == 1 {
		r.unread(word, WhyUnknown) // a lone +
	}
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		o, known := r.g.Options[name]
		switch {
		case !known, o.MinusOnly && word[0] == '+':
			r.unread(name, WhyUnknown)
			return
		case o.Takes == None:
			r.flag(o)
			continue
		case rest != "" && (r.g.Exact.ValuesAreWords || o.Takes == Pair), rest == "" && o.Takes == Optional && r.g.Exact.NeedsValue:
			r.unread(name, WhyMisplaced)
		case rest != "":
			r.exactly(o, rest)
		default:
			r.separate(o)
		}
		return
	}
}

// separate reads an option whose value, or pair of values, are separate words.
func (r *reader) separate(o Option) {
	wants := o.Takes.words()
	switch {
	case wants == 0:
		r.flag(o)
		return
	case r.at+wants > len(r.words):
		r.unread(o.Name, WhyNoValue)
		return
	}
	given := r.given(o)
	given.HasValue, given.Value, given.ValueIndex = true, r.words[r.at+wants-1], r.base+r.at+wants-1
	if wants == 2 {
		given.First = r.words[r.at]
	}
	r.at += wants
	r.Options = append(r.Options, given)
}

func (r *reader) flag(o Option) { r.Options = append(r.Options, r.given(o)) }

func (r *reader) exactly(o Option, value string) {
	given := r.given(o)
	given.HasValue, given.Value = true, value
	r.Options = append(r.Options, given)
}

// given returns an option in the word just read, without a value.
func (r *reader) given(o Option) Given {
	at := r.base + r.at - 1
	return Given{Option: o, Known: true, Index: at, ValueIndex: at, Plus: r.words[r.at-1][0] == '+'}
}

func (r *reader) unread(option, why string) {
	r.Reading.Unread = &Unread{Option: option, Word: r.words[r.at-1], Why: why, Index: r.base + r.at - 1}
}

func number(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
