package main

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	link   = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	header = regexp.MustCompile(`(?m)^#+ (.*)$`)
	named  = regexp.MustCompile("`((?:analyzer|bundles|cmd|docs|internal|rego|server|testdata|approvals|decisionlog|bench)/[A-Za-z0-9_./-]*[A-Za-z0-9_])`")
)

func TestPagesLinkToExistingFiles(t *testing.T) {
	pages, links := repositoryFiles(t), 0
	for file, text := range pages {
		if filepath.Ext(file) != ".md" || strings.Contains(file, "testdata/") || file == "tools/docs/approvals.md" || file == "tools/docs/binding.md" { // the last two are templates
			continue
		}
		for _, match := range link.FindAllStringSubmatch(text, -1) {
			target, anchored, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			links++
			to := path.Join(path.Dir(file), target)
			if target == "" {
				to = file
			}
			_, err := os.Stat(filepath.Join(root, to))
			if assert.NoError(t, err, "%s links to %s", file, match[1]) && anchored != "" {
				assert.Contains(t, anchors(pages[to]), anchored, "%s links to %s", file, match[1])
			}
		}
		for _, match := range named.FindAllStringSubmatch(text, -1) {
			_, fromRoot := os.Stat(filepath.Join(root, match[1]))
			_, fromHere := os.Stat(filepath.Join(root, path.Dir(file), match[1]))
			assert.True(t, fromRoot == nil || fromHere == nil, "%s names %s, which does not exist", file, match[1])
		}
	}
	require.Greater(t, links, 100, "too few links were found")
}

// anchors returns the fragments that refer to the headings and rules of a page.
func anchors(page string) []string {
	var names []string
	for _, match := range header.FindAllStringSubmatch(page, -1) {
		names = append(names, anchor(match[1]))
	}
	for _, match := range ruleAnchor.FindAllStringSubmatch(page, -1) {
		names = append(names, match[1])
	}
	return names
}
