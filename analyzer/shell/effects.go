package shell

import (
	"slices"
	"strings"

	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// Effects says what builtins do to the shell that runs them, by name. A program of the same name
// would do nothing to it, but a shell that gets the bare name runs its builtin. It is immutable.
type Effects struct {
	builtins map[string]programs.InShell
	printers map[string]bool // commands that print their own words
}

// NewEffects reads from a catalog what builtins do.
func NewEffects(catalog *programs.Catalog) *Effects {
	e := &Effects{builtins: map[string]programs.InShell{}, printers: map[string]bool{}}
	for _, entry := range catalog.Entries() {
		if entry.InShell != nil {
			e.builtins[entry.Name] = *entry.InShell
		}
		if entry.PrintsItsWords {
			e.printers[entry.Name] = true
		}
	}
	return e
}

// VariablesSet returns the variables that a builtin sets. unknown is true if a name is produced
// at run time: then it may be any. Printing the name as a path changes no fact.
func (e *Effects) VariablesSet(words []Word) (names []string, unknown bool) {
	words = e.Unprefixed(words)
	if len(words) == 0 || !e.SetsVariables(words) {
		return nil, false
	}
	for _, w := range words[1:] {
		name := assignedName(w.Text)
		unknown = unknown || w.Dynamic
		if len(name) > 2 && (name[0] == '-' || name[0] == '+') {
			name = name[2:] // after the letter of an option
		}
		if spelling.Portable(name) {
			names = append(names, name)
		}
	}
	return names, unknown
}

// Unprefixed returns the words of a command without the words before it that make a shell run a
// builtin.
func (e *Effects) Unprefixed(words []Word) []Word {
	for len(words) > 1 && e.BeforeBuiltin(words[0].Text) {
		words = words[1:]
	}
	return words
}

// BeforeBuiltin reports whether a word makes a shell run the builtin that the next word names.
func (e *Effects) BeforeBuiltin(name string) bool { return e.builtins[name].BeforeBuiltin }

// SetsVariables reports whether a command with these words sets variables by name.
func (e *Effects) SetsVariables(words []Word) bool {
	sets := e.builtins[spelling.Base(words[0].Text)].SetsVariables
	if sets == nil {
		return false
	}
	begins := func(word Word, with []string) bool {
		return slices.ContainsFunc(with, func(text string) bool { return strings.HasPrefix(word.Text, text) })
	}
	switch {
	case len(sets.WithWord) > 0:
		return slices.ContainsFunc(words[1:], func(w Word) bool { return begins(w, sets.WithWord) })
	case len(sets.WithFirstWord) > 0:
		return len(words) > 1 && begins(words[1], sets.WithFirstWord)
	default:
		return true
	}
}

// RunsText reports whether a command runs a text, or a command given by name, that might change
// the directory.
func (e *Effects) RunsText(name string) bool { return e.builtins[name].RunsText }

// Affects reports whether a builtin may do anything to the shell that runs it.
func (e *Effects) Affects(name string) bool {
	_, listed := e.builtins[name]
	return listed
}

// Sources reports whether a command reads a file of commands in the shell itself.
func (e *Effects) Sources(name string) bool { return e.builtins[name].Sources }

// EvaluatesAfter returns the words of a command after which it evaluates the next one.
func (e *Effects) EvaluatesAfter(name string) []string { return e.builtins[name].EvaluatesAfter }

// commandMayChangeDirectory reports whether a command changes the directory, or runs a text that might. A file that
// the shell reads is judged for all that it does.
func (e *Effects) commandMayChangeDirectory(name string) bool {
	return e.builtins[name].ChangesDirectory != "" || e.RunsText(name)
}
