package main

import (
	"regexp"
	"strings"
)

// withContents inserts, before the first part of a page, a line with links to all of its parts.
func withContents(page string) string {
	var links []string
	for _, heading := range parts(page) {
		links = append(links, "["+heading+"](#"+anchorOf(heading)+")")
	}
	return strings.Replace(page, "\n## ", "\nOn this page: "+strings.Join(links, ", ")+".\n\n## ", 1)
}

// parts are the headings of the parts of a page, in order.
func parts(page string) []string {
	var list []string
	for line := range strings.Lines(page) {
		if heading, found := strings.CutPrefix(line, "## "); found {
			list = append(list, strings.TrimSpace(heading))
		}
	}
	return list
}

// anchorOf is the name by which a heading can be linked.
func anchorOf(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
