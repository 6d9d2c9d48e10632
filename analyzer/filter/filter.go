// Package filter builds the class of a filter's arguments: its options and operands, each with
// the form of its text. It observes and never judges.
package filter

import (
	"strings"

	"gavel"
	"gavel/analyzer/argv"
)

// Read splits the words of a filter by an exact grammar; words[0] is the program. Reading stops
// at the first word that the grammar does not list, and the class names that word.
func Read(program string, words []string, g *argv.Grammar) gavel.Class {
	class := gavel.Class{Program: program, Options: []gavel.ClassOption{}, Operands: []gavel.ClassOperand{}, Stdin: []int{}}
	read := g.Read(words[1:], 1)
	for _, o := range read.Options {
		switch {
		case !o.HasValue:
			class.Options = append(class.Options, gavel.ClassOption{Name: o.Name, Form: FormNone, Index: o.Index})
			continue
		case o.Takes == argv.Pair:
			class.Options = append(class.Options, gavel.ClassOption{Name: o.Name, Value: o.First, Form: Form(o.First), Index: o.Index})
		}
		class.Options = append(class.Options, gavel.ClassOption{Name: o.Name, Value: o.Value, Form: Form(o.Value), Index: o.Index})
	}
	for _, o := range read.Operands {
		class.Operands = append(class.Operands, gavel.ClassOperand{Text: o.Text, Form: Form(o.Text), Index: o.Index, Ended: o.Ended})
	}
	class.Stdin = append(class.Stdin, read.Dashes...)
	if u := read.Unread; u != nil {
		class.Unread = &gavel.Unread{Option: u.Option, Why: u.Why, Index: u.Index}
	}
	class.Complete = read.Unread == nil
	return class
}

// The forms of a text.
const (
	FormNone  = "none"  // there is no text: an option without a value
	FormPlain = "plain" // neither of those below
	FormEmpty = "empty"
	FormPath  = "path" // it certainly begins as a path
	FormGlob  = "glob" // it holds * ? [ or ]
	FormSign  = "sign" // it is just / [ or ], which people use as field separators
)

// Form returns the form of a text (R28). Spaces around a path are ignored.
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

// drive reports whether a text begins like a Windows path, X:\ or X:/.
func drive(text string) bool {
	return len(text) > 2 && text[1] == ':' && (text[2] == '\\' || text[2] == '/') &&
		('A' <= text[0] && text[0] <= 'Z' || 'a' <= text[0] && text[0] <= 'z')
}
