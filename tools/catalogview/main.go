// Command catalogview prints the files that make generate writes from the catalog of programs to
// rego/gavel/catalog/programs: with the argument view, data.json, which rules read; with the
// argument entries, entries.jsonl, which Gavel reads when it starts.
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

// run executes the command with the arguments of the process.
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
