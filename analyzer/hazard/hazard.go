// Package hazard finds argument hazards: arguments with which a program runs others, writes, reads,
// loads something or uses the network. It takes the words of one command and where it would run
// ([Surroundings]), and returns hazards ([Table.Of]), the words as the program reads them
// ([Table.Line]), or the class of a filter's arguments ([SafeBins.Class]).
//
// A word that is produced at run time counts as everything that it could be. An option that the
// grammar does not list is reported as unknown. Closed and secret paths are hazards in their own
// right. The policy decides what a hazard means.
//
// table.go has the grammars of all programs, and vocabulary.go and subcommands.go compile one from
// the catalog. hazard.go and finder.go apply it to a command: options and operands (rule.go,
// harmless.go), tests (test_expression.go), pagers and terminals (terminal.go), files that are read
// recursively (recursive_reads.go) and files that are changed (changes.go, change_rule.go). paths.go
// classifies paths, with the help of secrets.go, name_patterns.go, unknown_numbers.go, outside.go,
// path_parts.go and file_urls.go. line.go reads the words of a command for rules about commands,
// safebins.go those of filters, and lookups.go answers questions about the tables.
package hazard

import (
	"cmp"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// Of returns the hazards among the arguments of a command, in order, and the sub-command, as far
// as the table knows it. The program is looked up by the name in the command and by the name of
// the file behind it; if the table has both, both apply. written are the words as written.
// readings are what they may be at run time, with [argv.Unknown] for unknown parts, and with words
// that are added at run time at the end; a hazard in any reading counts. opaque says why a wrapper
// could not be unwrapped; then, or if the program is unknown, its words are also checked as commands
// of their own. The result is never nil.
func (h *Table) Of(written []string, readings [][]string, executable gavel.Executable, opaque string, at Surroundings) (found []gavel.Hazard, command string) {
	found = []gavel.Hazard{}
	for i, words := range readings {
		more, called := h.findIn(written, words, executable, opaque, at)
		found = append(found, more...)
		if i > 0 && called != command {
			called = "" // it depends on the reading
		}
		command = called
	}
	slices.SortStableFunc(found, func(a, b gavel.Hazard) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Option, b.Option), cmp.Compare(a.Argument, b.Argument))
	})
	return slices.Compact(found), command
}

// findIn returns the hazards and the sub-command of one reading.
func (h *Table) findIn(written, words []string, executable gavel.Executable, opaque string, at Surroundings) (found []gavel.Hazard, command string) {
	var seen []*Vocabulary
	for i, name := range [...]string{executable.Name, executable.RealName} {
		if i > 0 && name == executable.Name {
			break
		}
		known, v := h.Program(name)
		if v == nil || slices.Contains(seen, v) {
			continue
		}
		seen = append(seen, v)
		finder := h.finder(at)
		finder.pager = v.pager
		finder.checkCommand(v, known, 0, words[1:], 1)
		finder.checkPager(v, words[1:])
		finder.checkStdinTerminal()
		found = append(found, finder.found...)
		if len(seen) > 1 && command != finder.subcommand {
			finder.subcommand = "" // the two names disagree
		}
		command = finder.subcommand
	}
	if len(seen) == 0 {
		found = append(found, h.pathHazards(words, executable.Found, at)...)
	}
	if len(seen) == 0 || opaque != "" || slices.ContainsFunc(found, func(item gavel.Hazard) bool { return item.Kind == "runs" }) {
		found = append(found, h.carriedCode(words, at)...)
	}
	for i, hazard := range found {
		if strings.Contains(hazard.Option, argv.Unknown) {
			found[i].Option = optionDynamic
		}
		if strings.Contains(hazard.Argument, argv.Unknown) {
			found[i].Argument = ""
			if hazard.Index < len(written) {
				found[i].Argument = written[hazard.Index]
			}
		}
	}
	return found, command
}

// pathHazards returns the path hazards among the words of an unknown program. If runs is false, the
// program was not found, and changes no files.
func (h *Table) pathHazards(argv []string, runs bool, at Surroundings) []gavel.Hazard {
	f := h.finder(at)
	for i := 1; i < len(argv); i++ {
		f.checkPath(argv[i], i)
		if runs {
			f.checkUnknownProgram(argv[i], i)
		}
	}
	return f.found
}

// finder returns a finder without findings.
func (h *Table) finder(at Surroundings) finder {
	return finder{programs: h.programs, harmless: h.harmless, places: &h.Paths, around: at, workDir: at.Dir}
}

// MaxCarried limits how many words are checked as possible commands, and how many words of each such
// command are read.
const MaxCarried = 64

// carriedCode returns the inline code that the arguments would contain if any of them were the name of
// a program.
func (h *Table) carriedCode(argv []string, at Surroundings) []gavel.Hazard {
	var found []gavel.Hazard
	for i := 1; i < min(len(argv), MaxCarried); i++ {
		known, v := h.Program(spelling.Base(argv[i]))
		if v == nil {
			continue
		}
		inner := h.finder(at)
		inner.checkCommand(v, known, i, argv[i+1:min(len(argv), i+1+MaxCarried)], i+1)
		for _, hazard := range inner.found {
			if hazard.Kind == KindInline || hazard.Kind == KindProgram || hazard.Kind == kindCode {
				hazard.Kind, hazard.Option = kindCarried, known+" "+hazard.Option
				found = append(found, hazard)
			}
		}
	}
	return found
}

// Program finds a program in the table by the first of its names that is listed.
func (h *Table) Program(name string) (string, *Vocabulary) {
	if v := h.programs.find(name); v != nil {
		return name, v // its own name comes first
	}
	if programs.WholeName(name) {
		return "", nil
	}
	for _, known := range h.Names.Of(name) {
		if v := h.programs.find(known); v != nil {
			return known, v
		}
	}
	return "", nil
}
