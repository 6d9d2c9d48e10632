package hazard

import (
	"slices"
	"strings"
)

// What is known about the words of a program, for checking a configuration that names them.

// Described reports whether the tables say how a program reads its words.
func (h *Table) Described(program string) bool {
	_, v := h.Program(program)
	return v != nil
}

// Text reports whether an option of a program takes a value that is text and names no file.
func (h *Table) Text(program, option string) bool {
	_, v := h.Program(program)
	return v != nil && slices.Contains(v.texts, option)
}

// Subcommands returns the sorted names of a program's sub-commands below the given ones; none if
// it has none there or they are unknown.
func (h *Table) Subcommands(program string, below ...string) []string {
	_, v := h.Program(program)
	for _, name := range below {
		if v = v.command(name); v == nil {
			return nil
		}
	}
	if v == nil {
		return nil
	}
	names := make([]string, 0, len(v.commands))
	for name := range v.commands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (v *Vocabulary) command(name string) *Vocabulary {
	if v == nil {
		return nil
	}
	return v.commands[name]
}

// Options returns the sorted options that a program accepts before, at or below a sub-command.
// Without a sub-command, it returns every option of the program.
func (h *Table) Options(program string, command ...string) []string {
	_, v := h.Program(program)
	names := map[string]bool{}
	for _, name := range command {
		v.own(names)
		v = v.command(name)
	}
	v.everyOption(names, map[*Vocabulary]bool{})
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, strings.TrimSuffix(name, "*"))
	}
	slices.Sort(list)
	return list
}

func (v *Vocabulary) own(names map[string]bool) {
	if v == nil {
		return
	}
	for name := range v.listed {
		names[name] = true
	}
	for _, several := range v.unsettled {
		for _, name := range several {
			names[name] = true
		}
	}
}

func (v *Vocabulary) everyOption(names map[string]bool, seen map[*Vocabulary]bool) {
	if v == nil || seen[v] {
		return
	}
	seen[v] = true
	v.own(names)
	for _, command := range v.commands {
		command.everyOption(names, seen)
	}
}

// MayBeHazard reports whether name may be an argument hazard of a program: it is in the table, it
// is an option that the table does not list, or every program may have it.
func (h *Table) MayBeHazard(program, name string) bool {
	if slices.Contains([]string{optionDynamic, optionPager, optionTerminal, optionSecret, OptionClosed, optionOutside, OptionOpened, OptionDenied, OptionBelow, optionInside, OptionBound, OptionUnseen, OptionUnsure, OptionUnlisted}, name) || strings.Contains(name, " ") {
		return true
	}
	_, v := h.Program(program)
	if v == nil || len(h.Means(program, name)) > 0 || v.holdsCode(name) {
		return true
	}
	if !strings.HasPrefix(name, "-") { // a sub-command that is not listed is a hazard by its name
		return v.others != "" && v.commands[name] == nil
	}
	return !slices.Contains(h.Options(program), name)
}

// holdsCode reports whether the value of an option is code.
func (v *Vocabulary) holdsCode(name string) bool {
	if slices.Contains(v.evals, name) {
		return true
	}
	for _, command := range v.commands {
		if command.holdsCode(name) {
			return true
		}
	}
	return false
}
