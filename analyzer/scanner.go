package analyzer

import (
	"cmp"
	"slices"
	"strings"
)

// scanner reads the words of a dispatcher as getopt does: the first word that is
// no option ends them.
type scanner struct {
	wrapper *Wrapper
	argv    []string
	next    int
	names   []string
	opaque  string
	given   []string // options, without their dashes
	marker  string   // what stands for words that the wrapper puts in
}

// word is the next word, or "" at the end.
func (s *scanner) word() string {
	if s.next >= len(s.argv) {
		return ""
	}
	return s.argv[s.next]
}

// refuse keeps the first reason why the words cannot be read.
func (s *scanner) refuse(what string) {
	if s.opaque == "" {
		s.opaque = unknown(s.argv, what).opaque
	}
}

func (s *scanner) options() {
	for s.opaque == "" && strings.HasPrefix(s.word(), "-") {
		word := s.word()
		s.next++
		switch {
		case slices.Contains(s.wrapper.words, word):
		case slices.Contains(s.wrapper.wordValues, word):
			s.following(word, word)
		case word == "--":
			return
		case word == "-":
			if !s.wrapper.DashIsOption {
				s.refuse(word)
			}
			return
		case strings.HasPrefix(word, "--"):
			s.long(word)
		case s.wrapper.NumberIsOption && digits(word[1:]):
		default:
			s.short(word)
		}
	}
}

// long reads an option of two dashes. It is never abbreviated.
func (s *scanner) long(word string) {
	name, value, attached := strings.Cut(word[2:], "=")
	s.given = append(s.given, "--"+name)
	switch {
	case slices.Contains(s.wrapper.longOptions, name):
		s.value(word, name, value)
	case slices.Contains(s.wrapper.longFlags, name) && !attached:
	case slices.Contains(s.wrapper.longValues, name) && attached:
		s.value(word, name, value)
	case slices.Contains(s.wrapper.longValues, name):
		s.following(word, name)
	default:
		s.refuse(word)
	}
}

// short reads a cluster of letters, of which the last may have a value.
func (s *scanner) short(word string) {
	for i := 1; i < len(word); i++ {
		letter := word[i : i+1]
		s.given = append(s.given, "-"+letter)
		switch {
		case strings.Contains(s.wrapper.attached, letter):
			s.value(word, letter, word[i+1:])
			return
		case strings.Contains(s.wrapper.flags, letter):
		case strings.Contains(s.wrapper.values, letter) && i+1 < len(word):
			s.value(word, letter, word[i+1:])
			return
		case strings.Contains(s.wrapper.values, letter):
			s.following(word, letter)
			return
		default:
			s.refuse(word)
			return
		}
	}
}

// following takes the next word for the value of an option.
func (s *scanner) following(word, option string) {
	if s.next >= len(s.argv) {
		s.refuse(word + " without a value")
		return
	}
	s.value(word, option, s.argv[s.next])
	s.next++
}

// value notes the value of an option where it is the name of a variable, or what
// stands for words that the wrapper puts in.
func (s *scanner) value(word, option, value string) {
	if slices.Contains(s.wrapper.replaces, option) {
		if value == "" && strings.Contains(s.wrapper.values, option) {
			s.refuse(word + " with an empty value")
		}
		s.marker = cmp.Or(value, "{}")
	}
	if !slices.Contains(s.wrapper.unsets, option) {
		return
	}
	if !portable(value) {
		s.refuse(word + " with a name that is not portable")
	}
	s.names = append(s.names, value)
}

// check says what is wrong with the words before the command, all of them read.
func (s *scanner) check() {
	for _, any := range s.wrapper.Requires {
		if !slices.ContainsFunc(any, func(option string) bool { return slices.Contains(s.given, option) }) {
			s.refuse("without " + strings.TrimLeft(any[0], "-"))
		}
	}
	limited := slices.ContainsFunc(s.wrapper.limits, func(option string) bool { return slices.Contains(s.given, option) })
	switch {
	case s.word() == "":
		s.refuse("without a command")
	case strings.HasPrefix(s.word(), "-"):
		s.refuse(s.word())
	case s.marker != "" && limited:
		s.refuse("with added and replaced words")
	}
}

// made are the words of the command that the wrapper makes: those that hold its
// marker, and without one those that it adds at the end.
func (s *scanner) made() []made {
	switch {
	case !s.wrapper.AddsWords:
		return nil
	case s.marker == "":
		return []made{{at: len(s.argv), dashes: true}}
	default:
		return marked(s.argv, s.next, len(s.argv), s.marker, true)
	}
}

// digits reports whether s is a decimal number.
func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
