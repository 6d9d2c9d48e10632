// Package packs reads the packs of command rules that come with Gavel: tested sets of rules that
// a configuration switches on by name.
package packs

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"gavel/rego"
)

// file is the file of the shipped policy that contains its packs.
const file = "gavel/catalog/packs/data.yaml"

// Pack is a tested set of rules about commands.
type Pack struct {
	Name     string           `yaml:"-" json:"name"`
	Promise  string           `yaml:"promise" json:"promise"` // its purpose, in one line
	Gives    string           `yaml:"gives" json:"gives"`     // what it permits in fact
	Rules    []map[string]any `yaml:"rules" json:"rules"`
	Examples Examples         `yaml:"examples" json:"examples"`
}

// Examples are commands that the pack by itself allows, and commands that it does not
// allow.
type Examples struct {
	Match []string `yaml:"match" json:"match"`
	Not   []string `yaml:"not" json:"not"`
}

// Read reads the packs of the shipped policy, sorted by name.
func Read() ([]Pack, error) {
	text, err := fs.ReadFile(rego.Policy, file)
	if err != nil {
		return nil, fmt.Errorf("read the packs: %w", err)
	}
	byName := map[string]Pack{}
	if err := yaml.Unmarshal(text, &byName); err != nil {
		return nil, fmt.Errorf("read the packs: %s: %w", file, err)
	}
	var packs []Pack
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		one := byName[name]
		one.Name = name
		packs = append(packs, one)
	}
	return packs, nil
}
