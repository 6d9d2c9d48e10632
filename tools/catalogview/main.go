// Command catalogview prints what rules read of the catalog of programs, which make
// generate writes into rego/gavel/catalog/programs/data.json.
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

// run reads the policy root that is the first argument.
func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("want one argument, the directory of the policy root")
	}
	catalog, err := programs.Read(os.DirFS(os.Args[1]))
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	return encoder.Encode(catalog.View())
}
