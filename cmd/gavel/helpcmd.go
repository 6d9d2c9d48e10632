package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// The groups of commands, in the order in which gavel lists them.
const (
	toStart     = "start"
	aboutPolicy = "policy"
	toDecide    = "decide"
	aboutPeople = "people"
	toEnforce   = "enforce"
)

func addGroups(root *cobra.Command) {
	root.AddGroup(
		&cobra.Group{ID: toStart, Title: "Start:"},
		&cobra.Group{ID: aboutPolicy, Title: "Write and understand a policy:"},
		&cobra.Group{ID: toDecide, Title: "Decide calls:"},
		&cobra.Group{ID: aboutPeople, Title: "People, agents and their tokens:"},
		&cobra.Group{ID: toEnforce, Title: "Run what was decided:"},
	)
}

// in puts commands into a group.
func in(group string, commands ...*cobra.Command) []*cobra.Command {
	for _, cmd := range commands {
		cmd.GroupID = group
	}
	return commands
}

// listed are names in lines of help.
func listed(names []string) string {
	return "  " + strings.Join(wrapped(strings.Join(names, ", "), 84), "\n  ")
}

// helpCommand shows the help of a command, and refuses what is none: cobra's own shows the help of
// gavel then, and succeeds.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Show what a command does, its flags and examples",
		Example: "  gavel help decide\n  gavel help approvals list",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var names []string
			if about, _, err := cmd.Root().Find(args); err == nil {
				for _, known := range about.Commands() {
					if !known.Hidden {
						names = append(names, known.Name()+"\t"+known.Short)
					}
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil {
				return err
			}
			if about.HasSubCommands() && len(rest) > 0 {
				return unknownCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}
