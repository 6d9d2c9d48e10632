package analyzer

import (
	"fmt"
	"io/fs"
)

// ReadTables reads both tables that an analyzer needs from a policy root: what it
// has below gavel/catalog/wrappers and gavel/catalog/hazards.
func ReadTables(policy fs.FS) (Wrappers, *Hazards, error) {
	text, err := fs.ReadFile(policy, "gavel/catalog/wrappers/data.yaml")
	if err != nil {
		return nil, nil, fmt.Errorf("read the table of wrappers: %w", err)
	}
	wrappers, err := ReadWrappers(text)
	if err != nil {
		return nil, nil, fmt.Errorf("read the table of wrappers: %w", err)
	}
	hazards, err := ReadHazards(policy, "gavel/catalog/hazards")
	if err != nil {
		return nil, nil, fmt.Errorf("read the tables of hazards: %w", err)
	}
	return wrappers, hazards, nil
}
