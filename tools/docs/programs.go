package main

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gavel/analyzer/programs"
)

const programsIntro = `# Programs

<!-- Generated from rego/gavel/catalog/programs by make generate. -->

What Gavel knows of programs by name, by family. ` + "`gavel programs NAME`" + ` shows an entry whole: every option and what it takes, every
sub-command, and where the facts come from. [The catalog](../rego/gavel/catalog/programs/README.md) says how to change one.

An argument that is a hazard makes an allowlisted program a miss, unless its entry accepts it. *Any use* is a program that is a hazard whatever
its arguments are; *any other option* and *any other sub-command* are those that its entry does not list. A program with a dash has no description
of its arguments: its entry on an allowlist permits any.

| kind of hazard | what it does |
|---|---|
`

// shownNames is how many options of one kind a row lists.
const shownNames = 8

// programsPage generates the page about the catalog of programs.
func programsPage(policy fs.FS) (string, error) {
	catalog, err := programs.Read(policy)
	if err != nil {
		return "", err
	}
	meanings, err := programs.Meanings(policy)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(programsIntro)
	for _, kind := range programs.Kinds() {
		if meaning := meanings[kind]; meaning != "" {
			fmt.Fprintf(&b, "| %s | %s |\n", kind, meaning)
		}
	}
	family := ""
	for _, e := range catalog.Entries() {
		if e.Family != family {
			family = e.Family
			about := catalog.Family(family)
			fmt.Fprintf(&b, "\n## %s\n\n%s. Sources, where an entry names no other: %s.\n\n| program | known | hazards |\n|---|---|---|\n", family, upper(about.About), about.Source)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(names(e)), cell(strings.Join(e.Known(), "; ")), cell(hazards(catalog, e)))
	}
	return withContents(b.String()), nil
}

// names returns the name of an entry and its aliases.
func names(e *programs.Entry) string {
	text := "**" + e.Name + "**"
	if len(e.Aliases) > 0 {
		text += " (" + strings.Join(e.Aliases, ", ") + ")"
	}
	if len(e.FamilyDefaultFor) > 0 {
		text += "; the same of " + strings.Join(e.FamilyDefaultFor, ", ")
	}
	return text
}

// hazards returns the hazards of a program, and the names of its sub-commands that have
// hazards.
func hazards(catalog *programs.Catalog, e *programs.Entry) string {
	from := catalog.Described(e)
	switch {
	case from == nil:
		return "–"
	case from != e:
		return "like " + from.Name
	}
	var list []string
	if from.Always != "" {
		list = append(list, "any use: "+from.Always)
	}
	if from.ListsEveryOption {
		list = append(list, "any other option: unknown")
	}
	for _, kind := range programs.Kinds() {
		if found := ofKind(&from.Grammar, kind); len(found) > 0 {
			list = append(list, kind+": "+shortened(found))
		}
	}
	if len(from.Subcommands) > 0 {
		list = append(list, "sub-commands of their own: "+shortened(from.SortedSubcommands()))
	}
	if from.OtherSubcommands != "" {
		list = append(list, "any other sub-command: "+from.OtherSubcommands)
	}
	return strings.Join(list, "; ")
}

// ofKind returns the options and rules of a kind. The kind of an option is its first meaning.
func ofKind(g *programs.Grammar, kind string) (found []string) {
	for _, o := range g.Options {
		if len(o.Means) > 0 && o.Means[0] == kind {
			found = append(found, "`"+o.Names[len(o.Names)-1]+"`")
		}
	}
	for _, r := range g.Rules {
		if r.Means == kind && !slices.Contains(found, r.Named) {
			found = append(found, r.Named)
		}
	}
	return found
}

func shortened(list []string) string {
	if len(list) <= shownNames {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shownNames], ", "), len(list)-shownNames)
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
