package main

import (
	"bufio"
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// jsonLines reads a file with one document a line, of which there is at least one.
func jsonLines[T any](t *testing.T, path string) []T {
	t.Helper()
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	var all []T
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var one T
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one), "%s", lines.Text())
		all = append(all, one)
	}
	require.NoError(t, lines.Err())
	require.NotEmpty(t, all)
	return all
}
