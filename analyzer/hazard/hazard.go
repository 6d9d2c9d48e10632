// Package hazard finds argument hazards: arguments with which a program runs others, writes,
// reads, loads something or uses the network. A [Table] has the grammars of the catalog, and
// [Table.Of] reads the words of one command by them; [SafeBins] reads those of filters.
//
// A word that is produced at run time counts as everything that it could be. An option that the
// grammar does not list is reported as unknown. Closed and secret paths are hazards by
// themselves. What a hazard means for a decision is up to the policy.
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
// readings are what they may be at run time, with [argv.Unknown] for unknown parts and with the
// words that are added at the end then; a hazard in any reading counts. If the program is
// unknown, or a wrapper could not be unwrapped, its words are also checked as commands of their
// own. The result is never nil.
func (h *Table) Of(written []string, readings [][]string, executable gavel.Executable, opaque string, at Surroundings) (found []gavel.Hazard, command string) {
	found = []gavel.Hazard{}
	for i, words := range readings {
		more, called := h.read(written, words, executable, opaque, at)
		found = append(found, more...)
		if i > 0 && called != command {
			called = "" // it depends on the value
		}
		command = called
	}
	slices.SortStableFunc(found, func(a, b gavel.Hazard) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Option, b.Option), cmp.Compare(a.Argument, b.Argument))
	})
	return slices.Compact(found), command
}

// read checks one reading.
func (h *Table) read(written, words []string, executable gavel.Executable, opaque string, at Surroundings) (found []gavel.Hazard, command string) {
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
		finder.command(v, known, 0, words[1:], 1)
		finder.terminal(v, words[1:])
		finder.typed()
		found = append(found, finder.found...)
		if len(seen) > 1 && command != finder.called {
			finder.called = "" // the two names say different things
		}
		command = finder.called
	}
	if len(seen) == 0 {
		found = append(found, h.unknownPaths(words, executable.Found, at)...)
	}
	if len(seen) == 0 || opaque != "" || slices.ContainsFunc(found, func(one gavel.Hazard) bool { return one.Kind == "runs" }) {
		found = append(found, h.carried(words, at)...)
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

// unknownPaths returns the path hazards among the words of an unknown program. One that was not
// found writes nothing.
func (h *Table) unknownPaths(argv []string, runs bool, at Surroundings) []gavel.Hazard {
	f := h.finder(at)
	for i := 1; i < len(argv); i++ {
		f.path(argv[i], i)
		if runs {
			f.unsure(argv[i], i)
		}
	}
	return f.found
}

func (h *Table) finder(at Surroundings) finder {
	return finder{programs: h.programs, harmless: h.harmless, places: &h.Places, at: at, in: at.Dir}
}

// MaxCarried is how many words are checked as possible commands, and how many words of each are
// read.
const MaxCarried = 64

// carried returns the inline code in the arguments, if each of them were the name of a program.
func (h *Table) carried(argv []string, at Surroundings) []gavel.Hazard {
	var found []gavel.Hazard
	for i := 1; i < min(len(argv), MaxCarried); i++ {
		known, v := h.Program(spelling.Base(argv[i]))
		if v == nil {
			continue
		}
		inner := h.finder(at)
		inner.command(v, known, i, argv[i+1:min(len(argv), i+1+MaxCarried)], i+1)
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
	if v := h.programs.of(name); v != nil {
		return name, v // its own name comes first
	}
	if programs.WholeName(name) {
		return "", nil
	}
	for _, known := range h.Names.Of(name) {
		if v := h.programs.of(known); v != nil {
			return known, v
		}
	}
	return "", nil
}
