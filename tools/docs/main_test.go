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
		"| deny | any | any | any | **deny** |":                                                "security deny denies what is on the list",
		"| allowlist | off | yes | any | **allow** |":                                          "what is on the list is allowed",
		"| allowlist | off | no | any | **deny** |":                                            "and nothing else",
		"| allowlist | on-miss | no | any | **ask** | allow-once, allow-always, deny | deny |": "a miss is asked about",
		"| allowlist | always | yes | any | **ask** | allow-once, deny | deny | allow |":       "the fallback allows what is on the list",
		"| full | off | any | any | **allow** |":                                               "full allows everything",
		"| full | on-miss | any | yes | **allow** |":                                           "and does not ask again",
	} {
		assert.Contains(t, table, row, why)
	}
}

func TestRowsThatAgreeAreMerged(t *testing.T) {
	rows := [][]string{{"a", "yes", "1"}, {"a", "no", "1"}, {"b", "yes", "1"}, {"b", "no", "2"}}
	assert.Equal(t, [][]string{{"a", "any", "1"}, {"b", "yes", "1"}, {"b", "no", "2"}}, merged(rows, 1))
	assert.Equal(t, [][]string{{"any", "yes", "1"}, {"a", "no", "1"}, {"b", "no", "2"}}, merged(rows, 0))
}
