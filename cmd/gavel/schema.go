package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"gavel/internal/nearest"
	"gavel/rego"
)

func (a *app) schemaCommand() *cobra.Command {
	names := []string{"call", "config", "decision", "facts"}
	return &cobra.Command{
		Use:   "schema call|config|facts|decision",
		Short: "Print a JSON Schema",
		Long:  "Print the JSON Schema of a call, of the configuration, of the facts that rules read, or of a decision.",
		Example: `  gavel schema config > config.schema.json
  gavel schema facts`,
		ValidArgs: names,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && slices.Contains(names, args[0]) {
				return nil
			}
			return fix(fmt.Errorf("gavel schema takes the name of one schema%s", meant(nearest.Name(first(args), names))), "name one of "+strings.Join(names, ", "))
		},
		RunE: func(_ *cobra.Command, args []string) error {
			text := map[string][]byte{"call": rego.CallSchema, "config": rego.ConfigSchema, "facts": rego.FactsSchema, "decision": rego.DecisionSchema}[args[0]]
			if _, err := a.stdout.Write(text); err != nil {
				return fmt.Errorf("write the schema: %w", err)
			}
			return nil
		},
	}
}
