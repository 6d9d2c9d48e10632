package unwrap

import (
	"cmp"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// dispatcherWords reads the words of a dispatcher as getopt does, up to the first word that is not an
// option.
type dispatcherWords struct {
	wrapper *wrapper
	argv    []string
	next    int
	names   []string
	opaque  string
	given   []string // options, without their dashes
	marker  string   // placeholder for words that the wrapper inserts
}

// word returns the next word, or "" at the end.
func (s *dispatcherWords) word() string {
	if s.next >= len(s.argv) {
		return ""
	}
	return s.argv[s.next]
}

// refuse keeps the first reason why the words cannot be read.
func (s *dispatcherWords) refuse(what string) {
	if s.opaque == "" {
		s.opaque = unknown(s.argv, what).opaque
	}
}

func (s *dispatcherWords) options() {
	read := s.wrapper.options.Read(s.argv[1:], 1)
	s.next = 1 + read.Next
	for _, o := range read.Options {
		s.given = append(s.given, o.Name)
		if o.HasValue || o.Takes == argv.Optional {
			s.value(s.argv[o.Index], o)
		}
	}
	if read.Unread != nil {
		s.refuse(unreadWord(read.Unread))
	}
}

// value records the value of an option, if it is the name of a variable or the placeholder for
// words that the wrapper inserts.
func (s *dispatcherWords) value(word string, o argv.GivenOption) {
	if slices.Contains(s.wrapper.replaces, o.Name) {
		if o.Value == "" && o.Takes == argv.Value && len(o.Name) == 2 {
			s.refuse(word + " with an empty value")
		}
		s.marker = cmp.Or(o.Value, "{}")
	}
	if !slices.Contains(s.wrapper.unsets, o.Name) {
		return
	}
	if !spelling.Portable(o.Value) {
		s.refuse(word + " with a name that is not portable")
	}
	s.names = append(s.names, o.Value)
}

// check looks for errors in the words before the command, after all of them are read.
func (s *dispatcherWords) check() {
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

// made returns the words of the command that the wrapper changes: those that contain its
// placeholder, or, without one, those that it adds at the end.
func (s *dispatcherWords) made() []shell.InsertedWord {
	switch {
	case !s.wrapper.AddsWords:
		return nil
	case s.marker == "":
		return []shell.InsertedWord{{Index: len(s.argv), MayBeginWithDash: true}}
	default:
		return shell.FindInserted(s.argv, s.next, len(s.argv), s.marker, true)
	}
}
