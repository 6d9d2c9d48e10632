package main

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// root is the top of the repository.
var root = filepath.Join("..", "..")

var (
	// citation matches the id of a rule, and outsideCitation a reference to something that is not
	// in the repository.
	citation        = regexp.MustCompile(`\b(?:R[1-9][0-9]?|W[1-9][0-9]?|Z[1-9][0-9]?|(?:LAYERS|TOOLS|FILES|EXEC|APPROVALS|SANDBOX|ELEVATED|CONFIG)-[0-9]+)\b`)
	outsideCitation = regexp.MustCompile(`(?i:\bdocuments? 0[0-9]{2}\b)|\b000 §|\bDESIGN\b|\bRULINGS\b|openclaw-semantics|\bfacts §|§[0-9]`)
	// notCitation matches what only looks like one: test names that begin with the number of a
	// finding, and a version of mksh.
	notCitation = regexp.MustCompile(`["']R[0-9]{2}(?: to R[0-9]{2})?:|TestR[0-9]{2}|mksh R[0-9]{2}|POSIX\.1-2024 §[0-9.]+`)
	ruleAnchor  = regexp.MustCompile(`<a id="([^"]+)"></a>([A-Z]+-?[0-9]+) `)
)

// brokenCitations returns a message for each citation that a reader of the repository cannot look
// up.
func brokenCitations(known map[string]bool, file, text string) []string {
	var out []string
	for i, line := range strings.Split(text, "\n") {
		line = notCitation.ReplaceAllString(line, "")
		for _, cited := range outsideCitation.FindAllString(line, -1) {
			out = append(out, fmt.Sprintf("%s:%d cites %q, which is not in the repository: cite a rule of docs/rules.md", file, i+1, cited))
		}
		for _, id := range citation.FindAllString(line, -1) {
			if !known[id] {
				out = append(out, fmt.Sprintf("%s:%d cites %s, which docs/rules.md does not have", file, i+1, id))
			}
		}
	}
	return out
}

// ruleIDs returns the ids of the rules in docs/rules.md.
func ruleIDs(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "docs", "rules.md"))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, match := range ruleAnchor.FindAllStringSubmatch(string(text), -1) {
		id := match[2]
		assert.False(t, known[id], "docs/rules.md has two rules %s", id)
		assert.Equal(t, strings.ToLower(id), match[1], "the anchor of %s", id)
		known[id] = true
	}
	require.NotEmpty(t, known, "docs/rules.md has no rule")
	return known
}

// repositoryFiles returns code, policies, tables, pages and decision cases by their path from the
// root. Corpora of commands are not included.
func repositoryFiles(t *testing.T) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if path != root && (strings.HasPrefix(name, ".") || name == "build") {
				return filepath.SkipDir
			}
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".rego", ".yaml", ".json", ".md", ".txtar", ".txt":
		default:
			if name != "Makefile" {
				return nil
			}
		}
		text, err := os.ReadFile(path)
		relative, _ := filepath.Rel(root, path)
		files[filepath.ToSlash(relative)] = string(text)
		return err
	}))
	require.Greater(t, len(files), 500, "too few files were found")
	return files
}

func TestEveryCitedRuleExists(t *testing.T) {
	known := ruleIDs(t)
	for file, text := range repositoryFiles(t) {
		if file != "tools/docs/citations_test.go" {
			for _, problem := range brokenCitations(known, file, text) {
				t.Error(problem)
			}
		}
	}
}

func TestCitationOfAMissingRuleIsReported(t *testing.T) {
	known := map[string]bool{"R21": true, "EXEC-3": true}
	for name, c := range map[string]struct {
		line string
		want int
	}{
		"rules that the page has":                  {"// wrappers are unwrapped (R21, EXEC-3)", 0},
		"a rule that the page lacks":               {"// (R22)", 1},
		"a rule of a topic that the page lacks":    {"# (EXEC-4)", 1},
		"two rules in one line":                    {"# (R22, R23)", 2},
		"a document that is not in the repository": {"// document 000, first chapter", 1},
		"a section of one":                         {"// (§11.4)", 1},
		"a design page that is not here":           {"# see DESIGN", 1},
		"the number of a finding":                  {`"R31: a file behind a link": {`, 0},
		"the version of a shell":                   {"# bash 5.2, mksh R59", 0},
		"a word that only looks like one":          {"// PR22 and CR2 and R2D2", 0},
	} {
		t.Run(name, func(t *testing.T) { assert.Len(t, brokenCitations(known, "x.go", c.line), c.want) })
	}
}
