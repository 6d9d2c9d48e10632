package analyzer

import (
	"bytes"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
	"gavel/analyzer/protected"
	"gavel/analyzer/unwrap"
)

// Tables hold what an analyzer knows about programs, tools and paths. Wrappers, Effects, Builtins, Hazards, Aliases and Tools are
// required. The tables must not change once an analyzer has them.
type Tables struct {
	unwrap.Tables
	Aliases   Aliases // other names of tools
	Tools     Tools   // tools whose parameters are read
	Protected protected.Catalog
}

// ReadTables reads the tables of a policy root: aliases, analysis and programs below
// gavel/catalog.
func ReadTables(policy fs.FS) (t Tables, err error) {
	catalog, err := programs.Read(policy)
	if err != nil {
		return t, err
	}
	text, err := fs.ReadFile(policy, "gavel/catalog/aliases/data.yaml")
	if err != nil {
		return t, fmt.Errorf("read the table of aliases: %w", err)
	}
	if t.Aliases, err = ReadAliases(text); err != nil {
		return t, err
	}
	var files struct {
		Harmless, System programs.Names
	}
	var places hazard.PathTable
	var closed protected.Table
	for name, into := range map[string]any{"files": &files, "paths": &places, "protected": &closed, "tools": &t.Tools} {
		if err := readTable(policy, "gavel/catalog/analysis/"+name+".yaml", into); err != nil {
			return t, err
		}
	}
	if err := t.Tools.check(); err != nil {
		return t, err
	}
	if t.Tables, err = unwrap.NewTables(catalog, files.System, closed.PathPreservingHazards); err != nil {
		return t, err
	}
	if err := t.Hazards.AddPaths(places, files.Harmless); err != nil {
		return t, err
	}
	if t.Values, err = readValues(policy); err != nil {
		return t, err
	}
	t.Protected, err = protected.NewCatalog(closed)
	return t, err
}

// readValues reads the names of the variables whose values are facts. The rules read the rest.
func readValues(policy fs.FS) (unwrap.Values, error) {
	text, err := fs.ReadFile(policy, "gavel/catalog/environment/data.yaml")
	if err != nil {
		return unwrap.Values{}, fmt.Errorf("read the table of variables: %w", err)
	}
	var table struct {
		Values map[string]any  `yaml:"values"`
		Paths  map[string]bool `yaml:"paths"`
	}
	if err := yaml.Unmarshal(text, &table); err != nil {
		return unwrap.Values{}, fmt.Errorf("read the table of variables: %w", err)
	}
	known := map[string]bool{}
	for name := range table.Values {
		known[name] = true
	}
	return unwrap.Values{Known: known, Paths: table.Paths}, nil
}

// readTable reads one file of a policy, strictly.
func readTable(policy fs.FS, name string, into any) error {
	text, err := fs.ReadFile(policy, name)
	if err != nil {
		return fmt.Errorf("read the tables of the analyzer: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("read the tables of the analyzer: %s: %w", name, err)
	}
	return nil
}
