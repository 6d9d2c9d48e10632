package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/programs"
)

// command is a program or a sub-command as its catalog entry describes it.
type command struct {
	path     []string            // the names of the sub-command; empty for the program
	grammars []*programs.Grammar // its own, then those of parent commands whose options it accepts
	unlisted programs.Reasons
	arity    programs.Reasons
	partial  bool // ignore options that the entry lacks
	wrapper  bool // an unlisted option is a hazard, because it may change which command is run
}

// commandsOf returns a program and the sub-commands whose options the entry lists. It omits
// sub-commands that are hazards whatever their options are.
func commandsOf(e *programs.Entry, root *programs.Grammar) []command {
	all := []command{{grammars: []*programs.Grammar{root}, unlisted: e.Unlisted, arity: e.OtherArity, wrapper: e.Wrapper != nil}}
	for i := 0; i < len(all); i++ { // all grows
		parent, g := all[i], all[i].grammars[0]
		for _, name := range g.SortedSubcommands() {
			sub := g.Subcommands[name]
			if sub.Like != "" || sub.Always != "" {
				continue
			}
			all = append(all, command{path: append(slices.Clone(parent.path), name), grammars: append([]*programs.Grammar{&sub.Grammar}, parent.inherited()...),
				unlisted: parent.mergeReasons(sub.Unlisted, parent.unlisted), arity: parent.mergeReasons(sub.OtherArity, parent.arity)})
		}
		for _, name := range g.HarmlessSubcommands {
			if inherited := parent.inherited(); len(inherited) > 0 {
				all = append(all, command{path: append(slices.Clone(parent.path), name), grammars: append([]*programs.Grammar{{}}, inherited...), unlisted: parent.unlisted, arity: parent.arity})
			}
		}
	}
	return all
}

// inherited returns the grammars whose options the sub-commands accept, too.
func (d *command) inherited() (inherited []*programs.Grammar) {
	for _, g := range d.grammars {
		if g.OptionsHoldInSubcommands {
			inherited = append(inherited, g)
		}
	}
	return inherited
}

// mergeReasons returns the explanations for a sub-command of d. Those of the parent are included
// if the sub-command inherits options.
func (d *command) mergeReasons(own, parent programs.Reasons) programs.Reasons {
	all := programs.Reasons{}
	if len(d.inherited()) > 0 {
		maps.Copy(all, parent)
	}
	maps.Copy(all, own)
	return all
}

// hasSubcommands reports whether the command has sub-commands.
func (d *command) hasSubcommands() bool {
	g := d.grammars[0]
	return len(g.Subcommands)+len(g.HarmlessSubcommands) > 0 || g.OtherSubcommands != ""
}

// optionValues returns the kind of value that each option takes. The command's own grammar wins
// over inherited ones.
func (d *command) optionValues() map[string]programs.Value {
	values := map[string]programs.Value{}
	for _, g := range slices.Backward(d.grammars) {
		for _, o := range g.Options {
			for _, name := range o.Names {
				values[name] = o.Value
			}
		}
	}
	return values
}

// compare returns the differences between an entry and the documentation, sorted by option. It
// omits those that the entry explains. The name "*" explains every unlisted option, if unlisted
// options are hazards or the whole program is one.
func (d *command) compare(docs documentedOptions) []string {
	values, g := d.optionValues(), d.grammars[0]
	closed := d.wrapper || g.Always != "" || slices.ContainsFunc(d.grammars, func(g *programs.Grammar) bool { return g.ListsEveryOption })
	plain := !slices.ContainsFunc(d.grammars, func(g *programs.Grammar) bool { return g.Style != "" })
	_, all := d.unlisted["*"]
	var differences []string
	for _, name := range slices.Sorted(maps.Keys(docs)) {
		value, listed := values[name]
		_, omitted := d.unlisted[name]
		_, explained := d.arity[name]
		switch s := docs[name]; {
		case !listed && d.partial:
		case !listed && plain && len(name) > 2 && name[1] != '-': // -vv is -v twice
		case !listed && !omitted && !(all && closed):
			differences = append(differences, fmt.Sprintf("%s is in its %s, but not in the entry", name, s.source))
		case !listed || explained || len(s.values) == 0 || value == programs.ValueUnknown || value == programs.ValuePair:
		case !slices.Contains(s.values, value):
			differences = append(differences, fmt.Sprintf("%s takes %s according to its %s, but %s in the entry", name, s.values[0], s.source, value))
		}
	}
	for i, difference := range differences {
		differences[i] = strings.Join(append(slices.Clone(d.path), difference), " ")
	}
	return differences
}
