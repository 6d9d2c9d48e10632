package main

import (
	"regexp"
	"strings"
)

// withContents inserts a line with links to all sections of a page before the first of them.
func withContents(page string) string {
	var links []string
	for _, heading := range sections(page) {
		links = append(links, "["+heading+"](#"+anchor(heading)+")")
	}
	return strings.Replace(page, "\n## ", "\nOn this page: "+strings.Join(links, ", ")+".\n\n## ", 1)
}

// sections returns the headings of the sections of a page, in order.
func sections(page string) []string {
	var list []string
	for line := range strings.Lines(page) {
		if heading, found := strings.CutPrefix(line, "## "); found {
			list = append(list, strings.TrimSpace(heading))
		}
	}
	return list
}

// anchor returns the fragment with which a URL refers to a heading.
func anchor(heading string) string {
	return strings.ReplaceAll(regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
