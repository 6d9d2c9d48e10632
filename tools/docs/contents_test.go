package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestALongPageLinksToItsParts(t *testing.T) {
	long := 0
	for file, text := range written(t) {
		if filepath.Ext(file) != ".md" || filepath.Dir(file) != "docs" && file != "rego/README.md" || len(strings.Fields(text)) < 1200 || len(parts(text)) < 3 {
			continue
		}
		long++
		for _, part := range parts(text) {
			assert.Contains(t, text, "(#"+anchorOf(part)+")", "%s does not link to its part %q", file, part)
		}
	}
	assert.Greater(t, long, 8, "the long pages were not found")
}

func TestContentsNameEveryPartInOrder(t *testing.T) {
	assert.Equal(t, "# P\n\nText.\n\nOn this page: [A b](#a-b), [C's](#cs).\n\n## A b\n\nx\n\n## C's\n", withContents("# P\n\nText.\n\n## A b\n\nx\n\n## C's\n"))
}
