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

// These pages name the test that shows each promise, by the beginning of its name, and decision cases by
// their file.
func TestTestsNamedWithPromisesExist(t *testing.T) {
	for _, name := range []string{"docs/security.md", "docs/runner.md", "docs/credentials.md"} {
		t.Run(name, func(t *testing.T) { namesTests(t, name) })
	}
}

func namesTests(t *testing.T, file string) {
	t.Helper()
	pages := repositoryFiles(t)
	page, ok := pages[file]
	require.True(t, ok)
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
	require.Greater(t, len(names), 30, "too few names of tests were found")
	for _, name := range names {
		assert.Contains(t, tests.String(), " "+name[1], "%s names a test that does not exist", file)
	}
	for _, name := range regexp.MustCompile("`([\\w-]+\\.txtar)`").FindAllStringSubmatch(page, -1) {
		assert.FileExists(t, filepath.Join(root, "testdata", "decisions", name[1]))
	}
	for _, name := range regexp.MustCompile("`(rego/\\S+_test\\.rego)`").FindAllStringSubmatch(page, -1) {
		assert.FileExists(t, filepath.Join(root, name[1]))
	}
}
