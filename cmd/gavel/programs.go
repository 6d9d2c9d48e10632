package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gavel/analyzer/programs"
	"gavel/internal/strictjson"
	"gavel/rego"
)

func (a *app) programsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "programs [NAME]",
		Short: "Show a program's catalog entry: its options and hazards",
		Long: `Show a program's catalog entry: its names, its properties, each
option with its value and what it means, rules about operands, and sub-commands.
Hazards are marked with !. Without a name: every program.`,
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

// inShort is what an entry knows, in a few words.
func (a *app) inShort(catalog *programs.Catalog, e *programs.Entry) string {
	words := traits(e)
	if from := catalog.Described(e); from != nil {
		words = append(words, count(len(from.Options), "option", "options"))
	}
	return clean(strings.Join(words, ", "))
}

// traits are what is known of a program as a whole, in words.
func traits(e *programs.Entry) []string {
	words := []string{}
	for _, trait := range []struct {
		holds bool
		words string
	}{
		{e.Opaque != "", "opaque: no entry can permit it"}, {e.Wrapper != nil, "wrapper"}, {e.Builtin != nil, "shell builtin"},
		{e.SafeBin != nil, "safe bin"}, {e.Interpreter, "interpreter"}, {e.Evaluates && !e.Interpreter, "evaluates its input as code"},
		{e.FeedsWords, "passes words to commands"}, {e.ShowsFiles, "shows files"}, {e.ChangesFiles, "changes files"},
		{e.MovesDirectories, "moves directories"}, {e.Steady, "makes no links"}, {e.Repository != nil, "looks for a repository"},
		{e.Runner != nil, "runs a project's tools"}, {e.Embeds != nil, "runs commands among its words"}, {e.ActsByName != nil, "its name decides what it does"},
		{e.Code != nil, "runs code of files"},
	} {
		if trait.holds {
			words = append(words, trait.words)
		}
	}
	return words
}

// oneProgram shows one entry.
func (a *app) oneProgram(catalog *programs.Catalog, name string) error {
	e, known := catalog.Find(name)
	if e == nil {
		return fix(fmt.Errorf("the catalog does not have the program %s", clean(name)), "list the programs with: gavel programs")
	}
	if a.json() {
		return strictjson.Write(a.stdout, e)
	}
	a.printf("%s  %s\n", a.paint(bold, clean(e.Name)), a.paint(dim, "rego/gavel/catalog/programs/"+e.Family))
	a.fact("asked for", onlyIf(known != e.Name || name != known, name))
	a.fact("aliases", strings.Join(e.Aliases, " "))
	a.fact("stands for", onlyIf(slices.Contains(e.FamilyDefaultFor, known), known+", because it has no entry of its own"))
	a.fact("known", strings.Join(traits(e), ", "))
	a.fact("source", e.Source)
	a.fact("since", e.Since)
	from := catalog.Described(e)
	if from == nil {
		a.fact("arguments", "they are unknown")
		a.options(e.Options, "")
		return nil
	}
	a.fact("arguments", onlyIf(e.Like != "", "like those of "+e.Like))
	a.grammar(&from.Grammar, "")
	return nil
}

// onlyIf is a text, or nothing.
func onlyIf(holds bool, text string) string {
	if holds {
		return text
	}
	return ""
}

// fact writes a fact with its name, if there is one.
func (a *app) fact(name, text string) {
	if text != "" {
		a.printf("  %s %s\n", fit(name, 11), clean(text))
	}
}

// grammar shows the options, rules and sub-commands of a program or a sub-command.
func (a *app) grammar(g *programs.Grammar, indent string) {
	if g.Always != "" {
		a.printf("%s  %s always %s\n", indent, a.paint(yellow, "!"), clean(g.Always))
	}
	if g.ListsEveryOption {
		a.printf("%s  any other option is a hazard: unknown\n", indent)
	}
	a.options(g.Options, indent)
	for _, r := range g.Rules {
		a.printf("%s  %s %s %s\n", indent, a.paint(yellow, "!"), fit(clean(r.Named), 36), clean(r.Means+"  "+about(r)))
	}
	if len(g.HarmlessSubcommands) > 0 {
		a.printf("%s  sub-commands without hazards: %s\n", indent, clean(strings.Join(g.HarmlessSubcommands, " ")))
	}
	for _, name := range g.SortedSubcommands() {
		sub := g.Subcommands[name]
		title := strings.Join(append([]string{name}, sub.Aliases...), ", ")
		if sub.Like != "" {
			a.printf("%s  %s  like %s\n", indent, a.paint(bold, clean(title)), clean(sub.Like))
			continue
		}
		a.printf("%s  %s\n", indent, a.paint(bold, clean(title)))
		a.grammar(&sub.Grammar, indent+"  ")
	}
	if g.OtherSubcommands != "" {
		a.printf("%s  %s any other sub-command: %s\n", indent, a.paint(yellow, "!"), clean(g.OtherSubcommands))
	}
}

func (a *app) options(options []programs.Option, indent string) {
	for _, o := range options {
		mark := " "
		if len(o.Means) > 0 {
			mark = a.paint(yellow, "!")
		}
		names := clean(strings.Join(o.Names, ", "))
		a.printf("%s\n", strings.TrimRight(indent+"  "+mark+" "+fit(names, max(36, width(names)))+" "+clean(described(o)), " "))
	}
}

// described is what is known of an option, in words.
func described(o programs.Option) string {
	words := []string{map[programs.Value]string{programs.ValueRequired: "VALUE", programs.ValueOptional: "[=VALUE]",
		programs.ValuePair: "NAME VALUE", programs.ValueUnknown: "value unknown"}[o.Value]}
	words = append(words, o.Means...)
	for _, more := range []string{onlyIf(o.SafeBin != "", "safe bin: "+strings.ReplaceAll(o.SafeBin, "_", " ")), onlyIf(o.Text, "text"),
		onlyIf(o.File, "a file that a list may name"), onlyIf(o.Wrapper, "understood"), onlyIf(o.Since != "", "since "+o.Since), onlyIf(o.Source != "", o.Source)} {
		if more != "" {
			words = append(words, more)
		}
	}
	return strings.Join(slices.DeleteFunc(words, func(word string) bool { return word == "" }), "  ")
}

// about is which words a rule is about, in words.
func about(r programs.Rule) string {
	where := "operands"
	switch {
	case len(r.ValueOf) > 0:
		where = "the value of " + strings.Join(r.ValueOf, " ")
	case r.Operand > 0:
		where = fmt.Sprintf("operand %d", r.Operand)
	case r.OperandsFrom > 0:
		where = fmt.Sprintf("operands from %d on", r.OperandsFrom)
	case r.FewerOperandsThan > 0:
		where = fmt.Sprintf("fewer than %d operands", r.FewerOperandsThan)
	}
	for _, condition := range []struct {
		name  string
		texts []string
	}{
		{"that begins with", r.BeginsWith}, {"that holds", r.Contains}, {"with the word", r.HasWord}, {"that is", r.Equals},
		{"that is none of", r.Except}, {"with", r.WithOneOf}, {"and", r.AndOneOf}, {"unless", r.Unless},
	} {
		if len(condition.texts) > 0 {
			where += ", " + condition.name + " " + strings.Join(condition.texts, " ")
		}
	}
	if r.Grammar != "" {
		where += ", unless plainly harmless as " + r.Grammar
	}
	return where
}
