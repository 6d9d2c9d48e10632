package analyzer

import (
	"fmt"
	"io/fs"
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

// ReadTables reads the tables of a policy root: what it has below
// gavel/catalog/aliases, wrappers, builtins, hazards, code and safebins.
func ReadTables(policy fs.FS) (t Tables, err error) {
	text, err := fs.ReadFile(policy, "gavel/catalog/aliases/data.yaml")
	if err != nil {
		return t, fmt.Errorf("read the table of aliases: %w", err)
	}
	if t.Aliases, err = ReadAliases(text); err != nil {
		return t, err
	}
	text, err = fs.ReadFile(policy, "gavel/catalog/wrappers/data.yaml")
	if err != nil {
		return t, fmt.Errorf("read the table of wrappers: %w", err)
	}
	if t.Wrappers, err = ReadWrappers(text); err != nil {
		return t, err
	}
	if text, err = fs.ReadFile(policy, "gavel/catalog/builtins/data.yaml"); err != nil {
		return t, fmt.Errorf("read the table of builtins: %w", err)
	}
	if t.Builtins, err = ReadBuiltins(text); err != nil {
		return t, err
	}
	if t.Hazards, err = ReadHazards(policy, "gavel/catalog/hazards"); err != nil {
		return t, fmt.Errorf("read the tables of hazards: %w", err)
	}
	if text, err = fs.ReadFile(policy, "gavel/catalog/code/data.yaml"); err != nil {
		return t, fmt.Errorf("read the table of code: %w", err)
	}
	if t.Code, err = ReadCode(text); err != nil {
		return t, err
	}
	t.SafeBins, err = ReadSafeBins(policy)
	return t, err
}
