// Package getopt takes the arguments of a filter apart exactly as the filter's own
// getopt would, by a vocabulary that lists every option it may be given (R28). It
// observes and never judges: the first word that the vocabulary does not have ends
// the reading, and is named.
package getopt

import (
	"strings"

	"gavel"
)

// Kind is what an option takes.
type Kind string

const (
	// Flag takes nothing.
	Flag Kind = "flag"
	// Value takes one value: attached, after =, or as the next word.
	Value Kind = "value"
	// Attached takes one value that must stand in the same word.
	Attached Kind = "attached"
	// Pair takes the two words behind it.
	Pair Kind = "pair"
)

// Vocabulary lists options by their full names, -n and --lines. It is only read.
type Vocabulary struct {
	Options map[string]Kind
	// Number means that the first word may be -5, as head and tail read it.
	Number bool
	// Words means that values are words of their own: neither -n5 nor --lines=5
	// is read, as jq has it.
	Words bool
}

// What keeps a word from being read.
const (
	unknown    = "it is no option that the profile lists"
	noValue    = "it lacks its value"
	surplus    = "it takes no value"
	misplaced  = "its value does not stand where it has to"
	nameNumber = "-NUM"
)

// Read takes argv apart; argv[0] is the program. Options may stand behind operands,
// -- ends them, a lone dash is standard input wherever it stands, short options
// cluster, and long ones are never abbreviated.
func Read(program string, argv []string, v Vocabulary) gavel.Class {
	r := reader{Vocabulary: v, argv: argv, class: gavel.Class{Program: program,
		Options: []gavel.ClassOption{}, Operands: []gavel.ClassOperand{}, Stdin: []int{}}}
	for r.at = 1; r.at < len(argv) && r.class.Unread == nil; r.at++ {
		r.word(argv[r.at])
	}
	r.class.Complete = r.class.Unread == nil
	return r.class
}

type reader struct {
	Vocabulary
	argv  []string
	at    int
	ended bool // by --
	class gavel.Class
}

func (r *reader) word(word string) {
	switch {
	case word == "-":
		r.class.Stdin = append(r.class.Stdin, r.at)
	case r.ended || !strings.HasPrefix(word, "-"):
		r.class.Operands = append(r.class.Operands, gavel.ClassOperand{Text: word, Form: Form(word), Index: r.at, Ended: r.ended})
	case word == "--":
		r.ended = true
	case r.Number && r.at == 1 && number(word[1:]):
		r.option(nameNumber, word[1:], r.at)
	case strings.HasPrefix(word, "--"):
		r.long(word)
	default:
		r.cluster(word)
	}
}

func (r *reader) long(word string) {
	name, value, attached := strings.Cut(word, "=")
	kind, known := r.Options[name]
	switch {
	case !known:
		r.unread(name, unknown)
	case attached && kind == Flag:
		r.unread(name, surplus)
	case attached && (r.Words || kind == Pair), !attached && kind == Attached:
		r.unread(name, misplaced)
	case attached:
		r.option(name, value, r.at)
	default:
		r.separate(name, kind)
	}
}

// cluster reads -abc: flags, of which the last may be an option with a value.
func (r *reader) cluster(word string) {
	for i := 1; i < len(word); i++ {
		name, rest := "-"+word[i:i+1], word[i+1:]
		kind, known := r.Options[name]
		switch {
		case !known:
			r.unread(name, unknown)
			return
		case kind == Flag:
			r.flag(name)
		case rest != "" && (r.Words || kind == Pair), rest == "" && kind == Attached:
			r.unread(name, misplaced)
			return
		case rest != "":
			r.option(name, rest, r.at)
			return
		default:
			r.separate(name, kind)
		}
	}
}

// separate reads an option whose value, or whose two, are words of their own.
func (r *reader) separate(name string, kind Kind) {
	words := map[Kind]int{Flag: 0, Value: 1, Pair: 2}[kind]
	if r.at+words >= len(r.argv) && words > 0 {
		r.unread(name, noValue)
		return
	}
	if words == 0 {
		r.flag(name)
	}
	at := r.at
	for range words {
		r.at++
		r.option(name, r.argv[r.at], at)
	}
}

func (r *reader) flag(name string) {
	r.class.Options = append(r.class.Options, gavel.ClassOption{Name: name, Form: FormNone, Index: r.at})
}

func (r *reader) option(name, value string, index int) {
	r.class.Options = append(r.class.Options, gavel.ClassOption{Name: name, Value: value, Form: Form(value), Index: index})
}

func (r *reader) unread(option, why string) {
	r.class.Unread = &gavel.Unread{Option: option, Why: why, Index: r.at}
}

func number(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// The forms of a text.
const (
	FormNone  = "none"  // there is no text: an option without a value
	FormPlain = "plain" // neither of those below
	FormEmpty = "empty"
	FormPath  = "path" // it begins as a path does that is certainly one
	FormGlob  = "glob" // it holds * ? [ or ]
	FormSign  = "sign" // it is just / [ or ], which people part fields by
)

// Form says what a text looks like (openclaw-semantics §3.3). Blanks around it do
// not hide a path.
func Form(text string) string {
	trimmed := strings.TrimSpace(text)
	switch {
	case text == "":
		return FormEmpty
	case text == "/" || text == "[" || text == "]":
		return FormSign
	case strings.HasPrefix(trimmed, "/"), strings.HasPrefix(trimmed, "./"), strings.HasPrefix(trimmed, "../"),
		strings.HasPrefix(trimmed, "~"), drive(trimmed):
		return FormPath
	case strings.ContainsAny(text, "*?[]"):
		return FormGlob
	}
	return FormPlain
}

// drive reports whether a text begins as a path of Windows, X:\ or X:/.
func drive(text string) bool {
	return len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') &&
		('A' <= text[0] && text[0] <= 'Z' || 'a' <= text[0] && text[0] <= 'z')
}
