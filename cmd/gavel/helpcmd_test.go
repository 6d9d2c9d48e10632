package main

import (
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
)

// Every command says how it is used, by an example; those of gavel itself are in a group.
func TestEveryCommandHasAnExample(t *testing.T) {
	t.Parallel()
	a, _, _ := testApp("")
	root := a.root()
	seen := 0
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		seen++
		assert.NotEmpty(t, cmd.Short, cmd.CommandPath())
		if cmd.Parent() == nil || cmd.Parent().Name() != "completion" {
			assert.Contains(t, cmd.Example, cmd.CommandPath(), "the example of %s", cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			walk(below)
		}
	}
	walk(root)
	assert.Greater(t, seen, 40, "the commands were not found")
	for _, cmd := range root.Commands() {
		assert.True(t, cmd.GroupID != "" || slices.Contains([]string{"completion", "help", "manual", "version"}, cmd.Name()), "%s is in no group", cmd.Name())
	}
}
