package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/internal/nearest"
	"gavel/internal/strictjson"
	"gavel/packs"
)

func (a *app) packsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "packs",
		Short: "List the packs of command rules that tools.exec.packs switches on",
		Long: `List the packs: tested sets of command rules. Switch a pack on by adding its name to
tools.exec.packs, or agents.<id>.exec.packs.`,
		Example: `  gavel packs
  gavel packs show git-read`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			return fix(fmt.Errorf("gavel packs takes no name: %q", args[0]), "run gavel packs show "+args[0])
		},
		RunE: func(*cobra.Command, []string) error {
			all, err := packs.Read()
			if err != nil {
				return err
			}
			if a.json() {
				return strictjson.Write(a.stdout, map[string]any{"packs": all})
			}
			for _, pack := range all {
				a.printf("%s %s\n", fit(pack.Name, 16), pack.Promise)
			}
			return nil
		},
	}
	cmd.AddCommand(&cobra.Command{
		Use:     "show NAME",
		Short:   "Show a pack: its purpose, its rules and its examples",
		Example: `  gavel packs show git-read`,
		Args:    exactlyOne("pack", "run gavel packs for their names"),
		RunE:    func(_ *cobra.Command, args []string) error { return a.showPack(args[0]) },
	})
	return cmd
}

func (a *app) showPack(name string) error {
	all, err := packs.Read()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(p packs.Pack) bool { return p.Name == name })
	if i < 0 {
		names := make([]string, len(all))
		for i, pack := range all {
			names[i] = pack.Name
		}
		return &gavel.PolicyError{Problems: []gavel.Problem{{Message: fmt.Sprintf("there is no pack %q", name),
			Nearest: nearest.Name(name, names), Fix: "gavel packs lists them"}}}
	}
	pack := all[i]
	if a.json() {
		return strictjson.Write(a.stdout, pack)
	}
	a.printf("%s: %s\n", a.paint(bold, pack.Name), pack.Promise)
	a.printf("What it gives: %s\n", pack.Gives)
	a.printf("Rules:\n")
	for _, rule := range pack.Rules {
		a.printf("  %s\n", clean(ruleInShort(rule)))
	}
	for _, list := range []struct {
		title    string
		commands []string
	}{{"Allowed", pack.Examples.Match}, {"Not allowed", pack.Examples.Not}} {
		a.printf("%s:\n", list.title)
		for _, command := range list.commands {
			a.printf("  %s\n", clean(command))
		}
	}
	return nil
}

// ruleInShort formats a rule as one line of the configuration.
func ruleInShort(rule map[string]any) string {
	line := yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
	for _, key := range []string{"program", "commands", "options", "operands", "accepts", "effect", "why"} {
		value, there := rule[key]
		if !there {
			continue
		}
		var name, node yaml.Node
		if err := errors.Join(name.Encode(key), node.Encode(value)); err != nil {
			return fmt.Sprint(rule) // cannot happen: rules were read from YAML
		}
		line.Content = append(line.Content, &name, &node)
	}
	text, err := yaml.Marshal(&line)
	if err != nil {
		return fmt.Sprint(rule)
	}
	return strings.TrimSpace(string(text))
}
