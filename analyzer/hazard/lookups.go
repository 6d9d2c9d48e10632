package hazard

import (
	"slices"
	"strings"
)

// Lookups in the table, for checking a configuration that names programs and options.

// Described reports whether the table has a grammar for a program.
func (h *Table) Described(program string) bool {
	_, v := h.Program(program)
	return v != nil
}

// Text reports whether the value of an option of a program is text, and not a file.
func (h *Table) Text(program, option string) bool {
	_, v := h.Program(program)
	return v != nil && slices.Contains(v.textOptions, option)
}

// Subcommands returns the sorted names of a program's sub-commands below the given ones; none if
// it has none there or they are unknown.
func (h *Table) Subcommands(program string, below ...string) []string {
	_, v := h.Program(program)
	for _, name := range below {
		if v = v.subcommand(name); v == nil {
			return nil
		}
	}
	if v == nil {
		return nil
	}
	names := make([]string, 0, len(v.subcommands))
	for name := range v.subcommands {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func (v *Vocabulary) subcommand(name string) *Vocabulary {
	if v == nil {
		return nil
	}
	return v.subcommands[name]
}

// Options returns the sorted options that a program accepts before, at or below a sub-command.
// Without a sub-command, it returns every option of the program.
func (h *Table) Options(program string, command ...string) []string {
	_, v := h.Program(program)
	names := map[string]bool{}
	for _, name := range command {
		v.addOptions(names)
		v = v.subcommand(name)
	}
	v.addAllOptions(names, map[*Vocabulary]bool{})
	list := make([]string, 0, len(names))
	for name := range names {
		list = append(list, strings.TrimSuffix(name, "*"))
	}
	slices.Sort(list)
	return list
}

func (v *Vocabulary) addOptions(names map[string]bool) {
	if v == nil {
		return
	}
	for name := range v.options {
		names[name] = true
	}
	for _, several := range v.unknownArity {
		for _, name := range several {
			names[name] = true
		}
	}
}

func (v *Vocabulary) addAllOptions(names map[string]bool, seen map[*Vocabulary]bool) {
	if v == nil || seen[v] {
		return
	}
	seen[v] = true
	v.addOptions(names)
	for _, command := range v.subcommands {
		command.addAllOptions(names, seen)
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
		return v.otherSubcommands != "" && v.subcommands[name] == nil
	}
	return !slices.Contains(h.Options(program), name)
}

// holdsCode reports whether the value of an option is code.
func (v *Vocabulary) holdsCode(name string) bool {
	if slices.Contains(v.codeOptions, name) {
		return true
	}
	for _, command := range v.subcommands {
		if command.holdsCode(name) {
			return true
		}
	}
	return false
}
