package analyzer

import (
	"cmp"
	"slices"
	"strings"

	"gavel"
)

// of returns the hazards among the arguments of a command, in their order. The
// program goes by the name that it was called by and by that of the file behind it;
// when the table knows both, both count. The result is never nil.
func (h *Hazards) of(argv []string, executable gavel.Executable) []gavel.Hazard {
	found := []gavel.Hazard{}
	var seen []*vocabulary
	for _, name := range []string{executable.Name, executable.RealName} {
		known, v := h.program(name)
		if v == nil || slices.Contains(seen, v) {
			continue
		}
		seen = append(seen, v)
		finder := finder{harmless: h.harmless}
		finder.command(v, known, 0, argv[1:], 1)
		found = append(found, finder.found...)
	}
	slices.SortStableFunc(found, func(a, b gavel.Hazard) int {
		return cmp.Or(cmp.Compare(a.Index, b.Index), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Option, b.Option), cmp.Compare(a.Argument, b.Argument))
	})
	return slices.Compact(found)
}

// program finds a program in the table: in lower case, without .exe, and, when it
// is not there, without the version at its end, as in python3.12 and clang-18.
func (h *Hazards) program(name string) (string, *vocabulary) {
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	if v := h.programs[name]; v != nil {
		return name, v
	}
	name = strings.TrimRight(name, "0123456789.-_")
	return name, h.programs[name]
}

// finder collects the hazards of one command.
type finder struct {
	harmless map[string]bool
	found    []gavel.Hazard
}

func (f *finder) add(kind, option, argument string, index int) {
	f.found = append(f.found, gavel.Hazard{Kind: kind, Option: option, Argument: argument, Index: index})
}

// command looks at the words of a program or a sub-command. name is what an entry
// calls it, and stands at position at of argv; words begin at position base.
func (f *finder) command(v *vocabulary, name string, at int, words []string, base int) {
	if v.Always != "" {
		f.add(v.Always, name, "", at)
	}
	args, rest := v.takeApart(words, base)
	for _, g := range args.options {
		switch {
		case g.kind == "writes" && g.hasValue && f.harmless[g.value]:
		case g.kind != "":
			f.add(g.kind, g.name, g.value, g.index)
		case !g.known && (v.Closed || len(v.Commands) > 0):
			f.add(hazardUnknown, g.name, g.value, g.index)
		}
	}
	for _, r := range v.Rules {
		f.rule(r, args, base)
	}
	if len(v.Commands) > 0 && len(args.operands) > 0 {
		f.subCommand(v, name, args.operands[0], words[rest:], base+rest)
	}
}

func (f *finder) subCommand(v *vocabulary, name string, word operand, words []string, base int) {
	if v.nested {
		name += " " + word.text
	} else {
		name = word.text
	}
	if command, known := v.Commands[word.text]; known {
		f.command(command, name, word.index, words, base)
		return
	}
	if v.Others != "" {
		f.add(v.Others, name, "", word.index)
	}
	f.command(&vocabulary{Style: v.Style, listed: v.listed}, name, word.index, words, base)
}

// rule applies one rule of a vocabulary. Where the number of operands is not
// certain, every operand may be the one that the rule is about.
func (f *finder) rule(r rule, args arguments, base int) {
	if slices.ContainsFunc(args.options, func(g given) bool { return slices.Contains(r.Unless, g.name) }) {
		return
	}
	if r.Below > 0 {
		if len(args.operands) < r.Below || args.uncertain {
			f.add(r.Kind, r.Name, "", base-1)
		}
		return
	}
	for _, g := range args.options {
		if g.hasValue && slices.Contains(r.In, g.name) && r.about(g.value) {
			f.add(r.Kind, r.Name, g.value, g.index)
		}
	}
	if len(r.In) > 0 {
		return
	}
	for i, o := range args.operands {
		number := i + 1
		there := number >= r.From && (r.Only == 0 || r.Only == number) || args.uncertain
		if there && r.about(o.text) && !(r.Kind == "writes" && f.harmless[o.text]) {
			f.add(r.Kind, r.Name, o.text, o.index)
		}
	}
}

// about reports whether the rule is about a text.
func (r rule) about(text string) bool {
	switch {
	case r.Grammar == "sed":
		return !plainSed(text)
	case r.Grammar == "awk":
		return !plainAwk(text)
	case len(r.Prefix)+len(r.Contains)+len(r.Words) == 0:
		return true
	}
	lower := strings.ToLower(text)
	return slices.ContainsFunc(r.Prefix, func(p string) bool { return strings.HasPrefix(lower, p) }) ||
		slices.ContainsFunc(r.Contains, func(p string) bool { return strings.Contains(lower, p) }) ||
		slices.ContainsFunc(r.Words, func(p string) bool { return hasWord(lower, p) })
}

// hasWord reports whether text holds word with nothing of a name beside it.
func hasWord(text, word string) bool {
	for at := 0; ; {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return false
		}
		at += i
		end := at + len(word)
		if (at == 0 || !nameByte(text[at-1])) && (end == len(text) || !nameByte(text[end])) {
			return true
		}
		at++
	}
}

func nameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c >= 0x80
}
