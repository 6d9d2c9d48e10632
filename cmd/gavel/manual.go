package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// manualCommand writes manual pages for packages.
func (a *app) manualCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "manual DIR",
		Short:   "Write manual pages into a directory",
		Long:    "Write a manual page for each command into a directory, which is created if it does not exist.",
		Example: "  gavel manual /usr/local/share/man/man1",
		Args:    exactlyOne("directory", ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			cmd.Root().DisableAutoGenTag = true // it names the day of the build
			header := &doc.GenManHeader{Title: "GAVEL", Section: "1", Source: "Gavel " + thisBuild().Version, Manual: "Gavel"}
			if err := doc.GenManTree(cmd.Root(), header, args[0]); err != nil {
				return fmt.Errorf("write manual pages: %w", err)
			}
			return nil
		},
	}
}
