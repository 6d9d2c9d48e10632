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

What Gavel knows about programs, grouped by family. ` + "`gavel programs NAME`" + ` shows the whole entry: every option and what it takes, every
sub-command, and the sources of the facts. [The catalog](../rego/gavel/catalog/programs/README.md) says how to change an entry.

An argument that is a hazard makes an allowlisted program a miss, unless its allowlist entry accepts the hazard. *Any use* means that the program
is a hazard whatever its arguments are. *Any other option* and *any other sub-command* are those that the catalog does not list. A dash means that
the catalog does not describe the arguments: an allowlist entry for the program permits any of them.

| kind of hazard | what it does |
|---|---|
`

// maxListed is the number of options of one kind that a row shows.
const maxListed = 8

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
			fmt.Fprintf(&b, "\n## %s\n\n%s. Sources, unless an entry names others: %s.\n\n| program | known | hazards |\n|---|---|---|\n", family, upper(about.About), about.Source)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(names(e)), cell(strings.Join(e.Summary(), "; ")), cell(hazards(catalog, e)))
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
		text += "; also for " + strings.Join(e.FamilyDefaultFor, ", ")
	}
	return text
}

// hazards returns the hazards of a program, and its sub-commands that are described separately.
func hazards(catalog *programs.Catalog, e *programs.Entry) string {
	described := catalog.DescribedBy(e)
	switch {
	case described == nil:
		return "–"
	case described != e:
		return "like " + described.Name
	}
	var list []string
	if e.Always != "" {
		list = append(list, "any use: "+e.Always)
	}
	if e.ListsEveryOption {
		list = append(list, "any other option: unknown")
	}
	for _, kind := range programs.Kinds() {
		if found := hazardsOfKind(&e.Grammar, kind); len(found) > 0 {
			list = append(list, kind+": "+abbreviate(found))
		}
	}
	if len(e.Subcommands) > 0 {
		list = append(list, "described sub-commands: "+abbreviate(e.SortedSubcommands()))
	}
	if e.OtherSubcommands != "" {
		list = append(list, "any other sub-command: "+e.OtherSubcommands)
	}
	return strings.Join(list, "; ")
}

// hazardsOfKind returns the options and rules whose hazard is of a kind. For an option with
// several meanings, the first counts.
func hazardsOfKind(g *programs.Grammar, kind string) (found []string) {
	for _, o := range g.Options {
		if len(o.Means) > 0 && o.Means[0] == kind {
			found = append(found, "`"+o.Names[len(o.Names)-1]+"`")
		}
	}
	for _, r := range g.Rules {
		if r.Means == kind && !slices.Contains(found, r.HazardName) {
			found = append(found, r.HazardName)
		}
	}
	return found
}

func abbreviate(list []string) string {
	if len(list) <= maxListed {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:maxListed], ", "), len(list)-maxListed)
}

func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
