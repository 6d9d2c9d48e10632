package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestALongPageLinksToItsSections(t *testing.T) {
	long := 0
	for file, text := range repositoryFiles(t) {
		if filepath.Ext(file) != ".md" || filepath.Dir(file) != "docs" && file != "rego/README.md" || len(strings.Fields(text)) < 1200 || len(sections(text)) < 3 {
			continue
		}
		long++
		for _, section := range sections(text) {
			assert.Contains(t, text, "(#"+anchor(section)+")", "%s does not link to its section %q", file, section)
		}
	}
	assert.Greater(t, long, 8, "too few long pages were found")
}

func TestContentsListEverySectionInOrder(t *testing.T) {
	assert.Equal(t, "# P\n\nText.\n\nOn this page: [A b](#a-b), [C's](#cs).\n\n## A b\n\nx\n\n## C's\n", withContents("# P\n\nText.\n\n## A b\n\nx\n\n## C's\n"))
}
