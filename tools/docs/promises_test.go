package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A test that is renamed or deleted must not stay as the proof of a promise. A page names a test
// by the beginning of its name, and a case by its file.
func TestEachTestThatAPageNamesExists(t *testing.T) {
	pages := written(t)
	page, there := pages["docs/security.md"]
	require.True(t, there)
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	var tests strings.Builder
	require.NoError(t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, found := range declared.FindAllSubmatch(text, -1) {
			tests.WriteString(" " + string(found[1]))
		}
		return err
	}))
	names := regexp.MustCompile("`(Test[A-Z]\\w+)`").FindAllStringSubmatch(page, -1)
	require.Greater(t, len(names), 30, "the names of tests were not read")
	for _, name := range names {
		assert.Contains(t, tests.String(), " "+name[1], "docs/security.md names a test that does not exist")
	}
	for _, name := range regexp.MustCompile("`([\\w-]+\\.txtar)`").FindAllStringSubmatch(page, -1) {
		assert.FileExists(t, filepath.Join(root, "testdata", "decisions", name[1]))
	}
	for _, name := range regexp.MustCompile("`(rego/\\S+_test\\.rego)`").FindAllStringSubmatch(page, -1) {
		assert.FileExists(t, filepath.Join(root, name[1]))
	}
}
