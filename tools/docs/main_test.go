package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedPagesAreUpToDate(t *testing.T) {
	generated, err := pages(t.Context(), "../../docs")
	require.NoError(t, err)
	require.NotEmpty(t, generated)
	for name, text := range generated {
		committed, err := os.ReadFile(filepath.Join("..", "..", "docs", name))
		require.NoError(t, err)
		assert.Equal(t, string(committed), text, "%s is out of date: run make generate", name)
	}
}

// Facts of an impossible call would be denied in every row, and comparing the page with the output
// would not notice it.
func TestVerdictTableHasEveryEffect(t *testing.T) {
	table, err := verdictTable(t.Context())
	require.NoError(t, err)
	for row, why := range map[string]string{
		"| deny | any | any | any | **deny** |":                                                "security deny denies an allowlisted program",
		"| allowlist | off | yes | any | **allow** |":                                          "an allowlisted program is allowed",
		"| allowlist | off | no | any | **deny** |":                                            "any other program is denied",
		"| allowlist | on-miss | no | any | **ask** | allow-once, allow-always, deny | deny |": "a miss is asked about",
		"| allowlist | always | yes | any | **ask** | allow-once, deny | deny | allow |":       "the fallback allows an allowlisted program",
		"| full | off | any | any | **allow** |":                                               "full allows everything",
		"| full | on-miss | any | yes | **allow** |":                                           "a permanent answer is not asked for again",
	} {
		assert.Contains(t, table, row, why)
	}
}

func TestRowsWithAllValuesOfAColumnAreMerged(t *testing.T) {
	rows := [][]string{{"a", "yes", "1"}, {"a", "no", "1"}, {"b", "yes", "1"}, {"b", "no", "2"}}
	assert.Equal(t, [][]string{{"a", "any", "1"}, {"b", "yes", "1"}, {"b", "no", "2"}}, mergeRows(rows, 1))
	assert.Equal(t, [][]string{{"any", "yes", "1"}, {"a", "no", "1"}, {"b", "no", "2"}}, mergeRows(rows, 0))
}
