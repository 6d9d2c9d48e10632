package main

import (
	"strings"

	"gavel/analyzer/programs"
)

// page shows how the arguments of a program are read: each hazard on its own line with what it
// does, and the options without hazards together.
type page struct {
	*app
	meanings map[string]string // of the kinds of hazard
}

// pageWidth is the width at which lists of harmless options and sub-commands are wrapped.
const pageWidth = 110

// grammar shows the options, rules and sub-commands of a program or a sub-command.
func (p page) grammar(g *programs.Grammar, indent string) {
	if g.Always != "" {
		p.hazard(indent, "any use", g.Always, "")
	}
	if g.ListsEveryOption {
		p.hazard(indent, "any option that is not listed", "unknown", "")
	}
	p.options(g, indent)
	p.list(indent, "sub-commands without hazards", g.HarmlessSubcommands)
	for _, name := range g.SortedSubcommands() {
		sub := g.Subcommands[name]
		title := p.paint(bold, clean(strings.Join(append([]string{name}, sub.Aliases...), ", ")))
		if sub.Like != "" {
			p.printf("%s  %s: like %s\n", indent, title, clean(sub.Like))
			continue
		}
		p.printf("%s  %s\n", indent, title)
		p.grammar(&sub.Grammar, indent+"  ")
	}
	if g.OtherSubcommands != "" {
		p.hazard(indent, "any other sub-command", g.OtherSubcommands, "")
	}
}

// options shows options and rules.
func (p page) options(g *programs.Grammar, indent string) {
	var harmless []string
	for _, o := range g.Options {
		switch notes := strings.Join(o.Notes(), "; "); {
		case len(o.Means) > 0:
			p.hazard(indent, o.Usage(), strings.Join(o.Means, " "), notes)
		case notes != "":
			p.printf("%s    %s %s\n", indent, column(clean(o.Usage())), clean(notes))
		default:
			harmless = append(harmless, o.Usage())
		}
	}
	for _, r := range g.Rules {
		p.hazard(indent, r.HazardName, r.Means, r.About())
	}
	p.list(indent, "options without hazards", harmless)
}

// hazard shows one hazard: its name in an entry, its kind, and what it does.
func (p page) hazard(indent, name, kinds, more string) {
	kind, _, _ := strings.Cut(kinds, " ")
	text := kinds + ": " + p.meanings[kind]
	if more != "" {
		text += " (" + more + ")"
	}
	p.printf("%s  %s %s %s\n", indent, p.paint(yellow, "!"), column(clean(name)), clean(text))
}

// column pads the first word of a line. It never shortens it.
func column(text string) string { return fit(text, max(34, width(text))) }

// list shows names, wrapped to a width. It writes nothing for no names.
func (p page) list(indent, title string, names []string) {
	if len(names) == 0 {
		return
	}
	p.printf("%s  %s:\n", indent, title)
	line := ""
	for i, name := range names {
		name = clean(name)
		if i < len(names)-1 {
			name += ";"
		}
		if line != "" && width(indent)+6+width(line)+1+width(name) > pageWidth {
			p.printf("%s      %s\n", indent, line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + name)
	}
	p.printf("%s      %s\n", indent, line)
}
