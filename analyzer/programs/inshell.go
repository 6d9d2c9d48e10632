package programs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// InShell says what a builtin does to the shell that runs it. Where shells differ, it is what any of
// them may do.
type InShell struct {
	SetsVariables    *SetsVariables `yaml:"sets_variables" json:"setsVariables,omitempty"`       // it sets or unsets the variables that its words name
	Declares         *Declares      `yaml:"declares" json:"declares,omitempty"`                  // it declares variables
	ChangesDirectory string         `yaml:"changes_directory" json:"changesDirectory,omitempty"` // one of the constants below
	RunsText         bool           `yaml:"runs_text" json:"runsText,omitempty"`                 // it runs a text, or a command given by name
	Sources          bool           `yaml:"sources" json:"sources,omitempty"`                    // it reads a file of commands, which is judged
	BeforeBuiltin    bool           `yaml:"before_builtin" json:"beforeBuiltin,omitempty"`       // it runs the builtin that its next word names
	RemovesFunctions bool           `yaml:"removes_functions" json:"removesFunctions,omitempty"` // that a script declared
	SetsOptions      bool           `yaml:"sets_options" json:"setsOptions,omitempty"`           // of the shell, such as allexport
	EndsScript       bool           `yaml:"ends_script" json:"endsScript,omitempty"`             // nothing after it runs
	ReadsLines       *ReadsLines    `yaml:"reads_lines" json:"readsLines,omitempty"`             // of its input, into the variables that its words name
	EvaluatesAfter   []string       `yaml:"evaluates_after" json:"evaluatesAfter,omitempty"`     // the word after one of these is evaluated
}

// The values of ChangesDirectory.
const (
	ToOperand = "to_operand" // to its only operand
	Somewhere = "somewhere"  // to a directory that its words do not name
)

// SetsVariables says when a builtin sets variables: always, or only with words that begin with one
// of some texts.
type SetsVariables struct {
	WithWord      []string `yaml:"with_word" json:"withWord,omitempty"`
	WithFirstWord []string `yaml:"with_first_word" json:"withFirstWord,omitempty"` // its first word after the name
}

// ReadsLines says with which options, as letters, a builtin reads whole lines. With the option
// NULTerminatedWith and an empty value, lines end in NUL bytes. The variable SplitsBy has the characters
// that separate the words of a line; an assignment to it in front of the builtin affects nothing else.
type ReadsLines struct {
	Options           []string `yaml:"options" json:"options,omitempty"`
	NULTerminatedWith string   `yaml:"nul_terminated_with" json:"nulTerminatedWith"`
	SplitsBy          string   `yaml:"splits_by" json:"splitsBy"`
}

// Declares describes a builtin that declares variables and runs nothing.
type Declares struct {
	Options    []string `yaml:"options" json:"options,omitempty"`        // all options that are understood
	Exports    bool     `yaml:"exports" json:"exports,omitempty"`        // programs get the variables
	ExportedBy string   `yaml:"exported_by" json:"exportedBy,omitempty"` // the option with which they get them
}

// Understands reports whether a word consists of options of the declaration.
func (d *Declares) Understands(word string) bool {
	return len(word) > 1 && word[0] == '-' && !strings.ContainsFunc(word[1:], func(letter rune) bool {
		return !slices.Contains(d.Options, "-"+string(letter))
	})
}

// ExportsWith reports whether programs get the variables if a word of options is given.
func (d *Declares) ExportsWith(word string) bool {
	return d.ExportedBy != "" && strings.Contains(word, d.ExportedBy[1:])
}

// check reports what is wrong with the description of a builtin.
func (b *InShell) check() error {
	switch {
	case b == nil:
		return nil
	case !slices.Contains([]string{"", ToOperand, Somewhere}, b.ChangesDirectory):
		return fmt.Errorf("in_shell: changes_directory is %q: want %s or %s", b.ChangesDirectory, ToOperand, Somewhere)
	case b.Declares == nil:
		return nil
	case b.SetsVariables == nil:
		return errors.New("in_shell: what declares variables also has sets_variables")
	case b.Declares.ExportedBy != "" && !slices.Contains(b.Declares.Options, b.Declares.ExportedBy):
		return fmt.Errorf("in_shell: exported_by is %s, which is not one of the options", b.Declares.ExportedBy)
	}
	for _, option := range b.Declares.Options {
		if len(option) != 2 || option[0] != '-' {
			return fmt.Errorf("in_shell: option %s of declares: want a dash and one letter", option)
		}
	}
	return nil
}
