package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/programs"
)

// described is a program or a sub-command as its catalog entry describes it.
type described struct {
	path     []string            // of the sub-command
	grammars []*programs.Grammar // its own, and those of parent commands whose options it accepts
	unlisted programs.Reasons
	arity    programs.Reasons
	lacks    bool // options missing from the entry do not count as differences
	wrapper  bool // with any unlisted option it is unknown what it runs
}

// parts returns a program and every sub-command whose options the entry lists. It omits
// sub-commands that are hazards with any options.
func parts(e *programs.Entry, root *programs.Grammar) []described {
	all := []described{{grammars: []*programs.Grammar{root}, unlisted: e.Unlisted, arity: e.OtherArity, wrapper: e.Wrapper != nil}}
	for i := 0; i < len(all); i++ {
		at, g := all[i], all[i].grammars[0]
		for _, name := range g.SortedSubcommands() {
			sub := g.Subcommands[name]
			if sub.Like != "" || sub.Always != "" {
				continue
			}
			all = append(all, described{path: append(slices.Clone(at.path), name), grammars: append([]*programs.Grammar{&sub.Grammar}, at.held()...),
				unlisted: at.reasons(sub.Unlisted, at.unlisted), arity: at.reasons(sub.OtherArity, at.arity)})
		}
		for _, name := range g.HarmlessSubcommands {
			if held := at.held(); len(held) > 0 {
				all = append(all, described{path: append(slices.Clone(at.path), name), grammars: append([]*programs.Grammar{{}}, held...), unlisted: at.unlisted, arity: at.arity})
			}
		}
	}
	return all
}

// held returns the grammars whose options its sub-commands accept, too.
func (d *described) held() (held []*programs.Grammar) {
	for _, g := range d.grammars {
		if g.OptionsHoldInSubcommands {
			held = append(held, g)
		}
	}
	return held
}

// reasons returns the explanations of a sub-command, and those of its parent if the parent's
// options apply to it.
func (d *described) reasons(own, above programs.Reasons) programs.Reasons {
	all := programs.Reasons{}
	if len(d.held()) > 0 {
		maps.Copy(all, above)
	}
	maps.Copy(all, own)
	return all
}

// group reports whether it has sub-commands, which its manual page then describes.
func (d *described) group() bool {
	g := d.grammars[0]
	return len(g.Subcommands)+len(g.HarmlessSubcommands) > 0 || g.OtherSubcommands != ""
}

// listed returns what value each option takes. The nearest grammar wins.
func (d *described) listed() map[string]programs.Value {
	listed := map[string]programs.Value{}
	for _, g := range slices.Backward(d.grammars) {
		for _, o := range g.Options {
			for _, name := range o.Names {
				listed[name] = o.Value
			}
		}
	}
	return listed
}

// compare returns the differences between an entry and its program, in order. It leaves out
// options that the entry explains. The name "*" explains every unlisted option, if unlisted
// options are hazards or the whole program is one.
func (d *described) compare(said sayings) []string {
	listed, g := d.listed(), d.grammars[0]
	closed := d.wrapper || g.Always != "" || slices.ContainsFunc(d.grammars, func(g *programs.Grammar) bool { return g.ListsEveryOption })
	plain := !slices.ContainsFunc(d.grammars, func(g *programs.Grammar) bool { return g.Style != "" })
	_, all := d.unlisted["*"]
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(said)) {
		value, known := listed[name]
		_, left := d.unlisted[name]
		_, explained := d.arity[name]
		switch s := said[name]; {
		case !known && d.lacks:
		case !known && plain && len(name) > 2 && name[1] != '-': // -vv is -v twice
		case !known && !left && !(all && closed):
			differences = append(differences, fmt.Sprintf("%s is in its %s, but not in the entry", name, s.from))
		case !known || explained || len(s.values) == 0 || value == programs.ValueUnknown || value == programs.ValuePair:
		case !slices.Contains(s.values, value):
			differences = append(differences, fmt.Sprintf("%s takes %s according to its %s, but %s in the entry", name, s.values[0], s.from, value))
		}
	}
	for i, difference := range differences {
		differences[i] = strings.Join(append(slices.Clone(d.path), difference), " ")
	}
	return differences
}
