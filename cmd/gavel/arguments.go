package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"gavel/internal/nearest"
)

// unknownCommand refuses words that are not a command, and suggests the nearest one.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, known := range cmd.Commands() {
		if !known.Hidden {
			names = append(names, known.Name())
		}
	}
	return fix(fmt.Errorf("unknown command %q%s", args[0], meant(nearest.Name(args[0], names))),
		"run "+cmd.CommandPath()+" without arguments for the list of commands")
}

// exactlyOne refuses anything but one argument, and says what the argument is. The advice is the
// command's help if it is "".
func exactlyOne(what, advice string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 1 {
			return nil
		}
		return fix(fmt.Errorf("%s takes exactly one %s, not %d", cmd.CommandPath(), what, len(args)), cmp.Or(advice, "run "+cmd.CommandPath()+" --help"))
	}
}

// flagError adds the nearest flag to pflag's message about an unknown one.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	known := ""
	if errors.As(err, &unknown) {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if name := nearest.Name(unknown.GetSpecifiedName(), names); name != "" {
			known = "--" + name
		}
	}
	return fix(fmt.Errorf("%w%s", err, meant(known)),
		"run "+strings.TrimSpace(cmd.CommandPath())+" --help for the flags")
}

// atMostOne refuses a second argument, and says what the single argument is.
func atMostOne(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) <= 1 {
			return nil
		}
		return fix(fmt.Errorf("%s takes exactly one %s, not %d", cmd.CommandPath(), what, len(args)),
			"run the command once for each")
	}
}

// none refuses arguments.
func none(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fix(fmt.Errorf("%s takes no arguments, but was given %q", cmd.CommandPath(), args[0]),
		"run "+cmd.CommandPath()+" --help")
}

func first(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
