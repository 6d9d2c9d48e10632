package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestReasonsPageListsGavelsOwnCodes(t *testing.T) {
	source, err := os.ReadFile(filepath.Join(root, "errors.go"))
	require.NoError(t, err)
	codes := regexp.MustCompile(`"(gavel\.[a-z_]+)"`).FindAllStringSubmatch(string(source), -1)
	require.NotEmpty(t, codes, "no codes were found in errors.go")
	page := reasonsPage(nil)
	for _, match := range codes {
		assert.Contains(t, page, "`"+match[1]+"`")
	}
}
