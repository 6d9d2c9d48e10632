package main

import "regexp"

// withoutLinks replaces the links of a cell of docs/http.md with names of files in the repository, because
// the API description is also read outside docs/.
func withoutLinks(cell string) string {
	cell = regexp.MustCompile(`, \[below\]\((#[^)]*)\)`).ReplaceAllString(cell, " (docs/http.md$1)")
	return regexp.MustCompile(`\[[^\]]*\]\(([^)]*)\)`).ReplaceAllString(cell, "docs/$1")
}
