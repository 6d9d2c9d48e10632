package analyzer

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"go.yaml.in/yaml/v3"

	"gavel/analyzer/programs"
)

// Tables are what an analyzer knows by name. All but Code are required, and must not
// change once an analyzer has them.
type Tables struct {
	Wrappers *Wrappers // programs that run others
	Builtins *Builtins // commands that a shell runs by itself
	Hazards  *Hazards  // arguments that do more than they seem
	SafeBins SafeBins  // filters, and how they read their arguments
	Aliases  Aliases   // other names of tools
	Code     *Code     // words that name code; without it nobody looks for any
}

// Knows reports whether the tables have anything to say of a program by its name.
func (t Tables) Knows(program string) bool {
	_, hazards := t.Hazards.program(program)
	_, wrapper := t.Wrappers.programs[program]
	_, embeds := t.Wrappers.embeds[program]
	_, runner := t.Wrappers.runners[program]
	_, filter := t.SafeBins[program]
	return hazards != nil || wrapper || embeds || runner || filter || t.Hazards.protected.steady[program]
}

// ReadTables reads the tables of a policy root: what it has below gavel/catalog/aliases,
// analysis and programs.
func ReadTables(policy fs.FS) (Tables, error) {
	catalog, err := programs.Read(policy)
	if err != nil {
		return Tables{}, err
	}
	text, err := fs.ReadFile(policy, "gavel/catalog/aliases/data.yaml")
	if err != nil {
		return Tables{}, fmt.Errorf("read the table of aliases: %w", err)
	}
	aliases, err := ReadAliases(text)
	if err != nil {
		return Tables{}, err
	}
	var files struct {
		Harmless, System fields
	}
	var places placeTable
	var protected protectedTable
	for name, into := range map[string]any{"files": &files, "paths": &places, "protected": &protected} {
		if err := readTable(policy, "gavel/catalog/analysis/"+name+".yaml", into); err != nil {
			return Tables{}, err
		}
	}
	t, err := NewTables(catalog, files.System)
	if err != nil {
		return t, err
	}
	t.Aliases = aliases
	for _, name := range files.Harmless {
		t.Hazards.harmless[name] = true
	}
	return t, errors.Join(t.Hazards.places.add(places), t.Hazards.protected.add(protected))
}

// NewTables makes the tables of a catalog of programs: without aliases of tools, and
// without places. system are the directories in which only root changes programs.
func NewTables(catalog *programs.Catalog, system []string) (t Tables, err error) {
	wrong := make([]error, 5)
	t.Wrappers, wrong[0] = newWrappers(catalog)
	t.Builtins, wrong[1] = newBuiltins(catalog)
	t.Hazards, wrong[2] = newHazards(catalog)
	t.Code, wrong[3] = newCode(catalog, system)
	t.SafeBins, wrong[4] = newSafeBins(catalog)
	return t, errors.Join(wrong...)
}

// readTable reads a file of a policy, strictly.
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
