// Command factgen generates code and data from the definition of facts: the struct gavel.Facts
// and its member structs. It generates the conversion of facts into the input of the policy,
// the digest of that input, its JSON Schema, the list of members that every input must have,
// and the initial facts of the Rego tests. A test compares the files with the output of this
// command.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "factgen:", err)
		os.Exit(1)
	}
}

// run reads and writes files in the repository whose root is the only argument.
func run() error {
	if len(os.Args) != 2 {
		return fmt.Errorf("want one argument, the root of the repository")
	}
	files, err := generate(os.Args[1])
	if err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(os.Args[1], name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// generate returns the generated files by their paths relative to root.
func generate(root string) (map[string][]byte, error) {
	sources, err := filepath.Glob(filepath.Join(root, "*.go"))
	if err != nil {
		return nil, err
	}
	facts, err := readTable(sources)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for name, write := range map[string]func(*table) ([]byte, error){
		"bundles/facts_input.go":                 writeInput,
		"bundles/facts_digest.go":                writeDigest,
		"rego/schema/facts.json":                 writeSchema,
		"rego/gavel/catalog/facts/data.json":     writeMembers,
		"rego/gavel/testing/generated_test.rego": writeSamples,
	} {
		if files[name], err = write(facts); err != nil {
			return nil, fmt.Errorf("write %s: %w", name, err)
		}
	}
	return files, nil
}
