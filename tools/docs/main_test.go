package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheGeneratedPagesAreCurrent(t *testing.T) {
	made, err := pages(t.Context(), "../../docs")
	require.NoError(t, err)
	require.NotEmpty(t, made)
	for name, text := range made {
		committed, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		require.NoError(t, err)
		assert.Equal(t, string(committed), text, "%s is not current: run make generate", name)
	}
}

// The table comes from the policy. Facts that are not those of a real call would make it a table
// of denials, which would be current all the same.
func TestTheTableOfVerdictsHasEveryEffect(t *testing.T) {
	table, err := verdicts(t.Context())
	require.NoError(t, err)
	for row, why := range map[string]string{
		"| deny | off | yes | yes | **deny** |":                                                        "security deny denies what is on the list",
		"| allowlist | off | yes | no | **allow** |":                                                   "what is on the list is allowed",
		"| allowlist | off | no | no | **deny** |":                                                     "and nothing else",
		"| allowlist | on-miss | no | no | **ask** | allow-once, allow-always, deny | allow | deny |":  "a miss is asked about",
		"| allowlist | always | yes | no | **ask** | allow-once, deny | allow | deny | deny | allow |": "the fallback allows what is on the list",
		"| full | off | no | no | **allow** |":                                                         "full allows everything",
	} {
		assert.Contains(t, table, row, why)
	}
}
