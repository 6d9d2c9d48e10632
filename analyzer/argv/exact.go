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

// Dash says how a lone dash is read.
type Dash int

// The values of Dash.
const (
	DashInput   Dash = iota // standard input, wherever it is
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

// The values of Unread.Why.
const (
	WhyUnknown   = "it is not an option that the profile lists"
	WhyNoValue   = "its value is missing"
	WhySurplus   = "it takes no value"
	WhyMisplaced = "its value is in the wrong position"
)

// NumberOption is the name of -5.
const NumberOption = "-NUM"

// readExact reads words until one is not in the grammar, or until an operand ends the options.
func (r *reader) readExact() {
	for r.next < len(r.words) && r.Unread == nil {
		word := r.words[r.next]
		switch {
		case word == "-" && !(r.ended && r.g.EndAtOperand):
			if r.loneDash() {
				return
			}
		case r.ended || !strings.HasPrefix(word, "-") && !(r.g.Exact.Plus && strings.HasPrefix(word, "+")):
			if r.g.EndAtOperand {
				return
			}
			r.Operands = append(r.Operands, Operand{Text: word, Index: r.base + r.next, Ended: r.ended})
			r.next++
		case word == "--":
			r.ended, r.Ended = true, true
			r.next++
			if r.g.EndAtOperand {
				return
			}
		default:
			r.next++
			r.exactWord(word)
		}
	}
}

// loneDash reads a lone dash, and reports whether it ends the options.
func (r *reader) loneDash() (ends bool) {
	r.next++
	switch r.g.Exact.Dash {
	case DashInput:
		r.Dashes = append(r.Dashes, r.base+r.next-1)
	case DashWrong:
		r.stop("-", WhyUnknown)
	case DashEnds:
		return true
	case DashOperand:
		r.next--
		return true
	}
	return false
}

// exactWord reads one word of options.
func (r *reader) exactWord(word string) {
	whole, known := r.g.Options[word]
	switch {
	case known && len(word) > 2 && word[1] != '-': // an option with one dash and a whole name
		r.takeNextWords(whole)
	case r.g.Exact.NumberFirst && r.next == 1 && isNumber(word[1:]):
		r.addValue(Option{Name: NumberOption}, word[1:])
	case strings.HasPrefix(word, "--"):
		r.exactLong(word)
	case r.g.Exact.Numbers && isNumber(word[1:]):
	default:
		r.exactCluster(word)
	}
}

// exactLong reads --name or --name=value.
func (r *reader) exactLong(word string) {
	name, value, attached := strings.Cut(word, "=")
	o, known := r.g.Options[name]
	switch {
	case !known, r.g.Exact.LongFirst && r.short:
		r.stop(name, WhyUnknown)
	case attached && o.Takes == None:
		r.stop(name, WhySurplus)
	case attached && (r.g.Exact.ValuesAreWords || o.Takes == Pair), !attached && o.Takes == Optional && r.g.Exact.NeedsValue:
		r.stop(name, WhyMisplaced)
	case attached:
		r.addValue(o, value)
	default:
		r.takeNextWords(o)
	}
}

// exactCluster reads -abc: options without a value, the last of which may have one.
func (r *reader) exactCluster(word string) {
	r.short = true
	if len(word) == 1 {
		r.stop(word, WhyUnknown) // a lone +
	}
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		o, known := r.g.Options[name]
		switch {
		case !known, o.MinusOnly && word[0] == '+':
			r.stop(name, WhyUnknown)
			return
		case o.Takes == None:
			r.addFlag(o)
			continue
		case rest != "" && (r.g.Exact.ValuesAreWords || o.Takes == Pair), rest == "" && o.Takes == Optional && r.g.Exact.NeedsValue:
			r.stop(name, WhyMisplaced)
		case rest != "":
			r.addValue(o, rest)
		default:
			r.takeNextWords(o)
		}
		return
	}
}

// takeNextWords reads an option whose value, or pair of values, are separate words.
func (r *reader) takeNextWords(o Option) {
	wants := o.Takes.nextWords()
	switch {
	case wants == 0:
		r.addFlag(o)
		return
	case r.next+wants > len(r.words):
		r.stop(o.Name, WhyNoValue)
		return
	}
	given := r.newGiven(o)
	given.HasValue, given.Value, given.ValueIndex = true, r.words[r.next+wants-1], r.base+r.next+wants-1
	if wants == 2 {
		given.First = r.words[r.next]
	}
	r.next += wants
	r.Options = append(r.Options, given)
}

// addFlag records an option without a value.
func (r *reader) addFlag(o Option) { r.Options = append(r.Options, r.newGiven(o)) }

// addValue records an option with a value in the same word.
func (r *reader) addValue(o Option, value string) {
	given := r.newGiven(o)
	given.HasValue, given.Value = true, value
	r.Options = append(r.Options, given)
}

// newGiven returns an option in the word just read, without a value.
func (r *reader) newGiven(o Option) GivenOption {
	index := r.base + r.next - 1
	return GivenOption{Option: o, Known: true, Index: index, ValueIndex: index, Plus: r.words[r.next-1][0] == '+'}
}

// stop records that the grammar does not list the word just read, which ends the reading.
func (r *reader) stop(option, why string) {
	r.Reading.Unread = &Unread{Option: option, Word: r.words[r.next-1], Why: why, Index: r.base + r.next - 1}
}

func isNumber(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
