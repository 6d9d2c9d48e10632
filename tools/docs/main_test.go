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
