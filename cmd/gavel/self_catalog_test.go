package main

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/analyzer/programs"
	"gavel/rego"
)

// An agent that may run gavel could have its own policy decide, or answer its own questions. The
// catalog says of each command whether an entry for the program vouches for it.
func TestTheCatalogKnowsEveryCommandOfGavel(t *testing.T) {
	catalog, err := programs.Read(rego.Policy)
	require.NoError(t, err)
	entry := catalog.Exactly("gavel")
	require.NotNil(t, entry)
	for _, command := range newApp().root().Commands() {
		name := command.Name()
		listed, found := entry.Subcommands[name]
		switch {
		case slices.Contains(entry.HarmlessSubcommands, name):
			assert.False(t, found, name)
		case assert.True(t, found, "%s: add it to rego/gavel/catalog/programs/runners/gavel.yaml", name):
			assert.Equal(t, "runs", listed.Always, name)
		}
	}
	for _, name := range []string{"run", "shell", "runner", "serve", "hook", "approvals", "token", "credentials", "install"} {
		assert.NotContains(t, entry.HarmlessSubcommands, name)
	}
	for _, name := range []string{"gavel-run", "gavel-shell", "gavel-hook"} {
		entry, _ := catalog.Find(name)
		require.NotNil(t, entry, name)
		assert.Equal(t, "runs", entry.Always)
	}
}
