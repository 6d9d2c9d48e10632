package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gavel/analyzer/programs"
	"gavel/internal/nearest"
	"gavel/internal/strictjson"
	"gavel/rego"
)

func (a *app) programsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "programs [NAME]",
		Short: "Show a program's catalog entry: its options and hazards",
		Long: `Show a program's catalog entry: its names, its properties and where they come from,
its options, rules about operands, and sub-commands. Each hazard has its own line,
marked with !, that says what it does: an allowlist entry or a rule has to accept it.
Without a name, it lists every program.`,
		Example: `  gavel programs tar
  gavel programs python3.12
  gavel programs --output json git`,
		Args: atMostOne("name"),
		RunE: func(_ *cobra.Command, args []string) error {
			catalog, err := programs.Read(rego.Policy)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.everyProgram(catalog)
			}
			return a.oneProgram(catalog, args[0])
		},
	}
}

// everyProgram lists every entry by its family.
func (a *app) everyProgram(catalog *programs.Catalog) error {
	if a.json() {
		return strictjson.Write(a.stdout, map[string]any{"programs": catalog.Entries()})
	}
	family := ""
	for _, e := range catalog.Entries() {
		if e.Family != family {
			family = e.Family
			a.printf("%s\n", a.paint(bold, family))
		}
		a.printf("  %s\n", strings.TrimRight(fit(e.Name, 20)+" "+a.inShort(catalog, e), " "))
	}
	return nil
}

// inShort summarises an entry in a few words.
func (a *app) inShort(catalog *programs.Catalog, e *programs.Entry) string {
	words := e.Summary()
	if from := catalog.DescribedBy(e); from != nil {
		words = append(words, count(len(from.Options), "option", "options"))
	}
	return clean(strings.Join(words, ", "))
}

func catalogued(catalog *programs.Catalog) []string {
	var names []string
	for _, e := range catalog.Entries() {
		names = append(append(names, e.Name), e.Aliases...)
	}
	return names
}

// oneProgram shows one entry.
func (a *app) oneProgram(catalog *programs.Catalog, name string) error {
	e, known := catalog.Find(name)
	if e == nil {
		return fix(fmt.Errorf("the catalog does not have the program %s%s", clean(name), meant(nearest.Name(name, catalogued(catalog)))),
			"gavel programs lists them; an allowlist entry for any other program permits every argument")
	}
	if a.json() {
		return strictjson.Write(a.stdout, e)
	}
	meanings, err := programs.Meanings(rego.Policy)
	if err != nil {
		return err
	}
	a.printf("%s  %s\n", a.paint(bold, clean(e.Name)), a.paint(dim, "rego/gavel/catalog/programs/"+e.Family))
	a.fact("asked for", onlyIf(known != e.Name || name != known, name))
	a.fact("aliases", strings.Join(e.Aliases, " "))
	a.fact("stands for", onlyIf(slices.Contains(e.FamilyDefaultFor, known), known+", because it has no entry of its own"))
	a.fact("known", strings.Join(e.Summary(), "; "))
	a.fact("source", e.Source)
	shown := page{app: a, meanings: meanings}
	from := catalog.DescribedBy(e)
	if from == nil {
		text := "not described: an allowlist entry permits any"
		if e.Wrapper != nil {
			text = "with any other option it is unknown what it runs, and no entry permits it"
		}
		a.fact("arguments", text)
		shown.options(&programs.Grammar{Options: e.Options}, "")
		return nil
	}
	a.fact("arguments", onlyIf(e.Like != "", "like those of "+e.Like))
	shown.grammar(&from.Grammar, "")
	return nil
}

// onlyIf returns a text on a condition, and otherwise "".
func onlyIf(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// fact writes a labelled value, unless it is empty.
func (a *app) fact(name, text string) {
	if text != "" {
		a.printf("  %s %s\n", fit(name, 11), clean(text))
	}
}
