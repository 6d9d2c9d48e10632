// Command catalogview prints files that are generated from the catalog of programs. The argument
// view prints what rules read, which make generate writes to
// rego/gavel/catalog/programs/data.json. The argument entries prints what Gavel reads when it
// starts, for entries.jsonl in the same directory.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"gavel/analyzer/programs"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "catalogview:", err)
		os.Exit(1)
	}
}

// run reads the policy root that is the second argument.
func run() error {
	if len(os.Args) != 3 || os.Args[1] != "view" && os.Args[1] != "entries" {
		return fmt.Errorf("want two arguments: view or entries, and the directory of the policy root")
	}
	policy := os.DirFS(os.Args[2])
	if os.Args[1] == "entries" {
		return programs.WriteGenerated(os.Stdout, policy)
	}
	catalog, err := programs.ReadSources(policy)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(catalog.View())
}
