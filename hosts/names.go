package hosts

import (
	"fmt"
	"slices"
	"strings"
)

// maxNamed limits how many files the patterns of one search may name.
const maxNamed = 20

// reads reports whether a parameter is the path that the tool reads.
func (t Tool) reads() bool {
	for _, p := range t.Takes {
		if p.As == "path" {
			return true
		}
	}
	return false
}

// namedFiles returns the files that the patterns of a search name, relative to the directory that it
// reads. A search of a directory may pass by denied files, but a search for a denied file reads it. So
// each name becomes a read of its own, which the policy judges. A pattern whose last name has a wildcard
// names no file.
func (t Tool) namedFiles(params map[string]any, glob, filter string) ([]string, error) {
	dir, ok := params["path"].(string)
	if !ok || !t.reads() {
		return nil, nil
	}
	var list []string
	add := func(pattern string) {
		rest := namedFile(pattern)
		if path := Join(dir, rest); rest != "" && !slices.Contains(list, path) {
			list = append(list, path)
		}
	}
	if leads, err := below(glob); err == nil {
		for _, pattern := range alternatives(strings.TrimPrefix(glob, leads)) {
			add(pattern)
		}
	}
	// One text may have several patterns. One that begins with ! leaves files out.
	for _, pattern := range splitPatterns(filter) {
		if !strings.HasPrefix(pattern, "!") {
			add(pattern)
		}
	}
	if len(list) > maxNamed {
		return nil, fmt.Errorf("the patterns name more than %d files; use fewer choices", maxNamed)
	}
	return list, nil
}

// namedFile returns the path of the file that a pattern names, without the parts that match any
// directory; "" if its last name has a wildcard.
func namedFile(pattern string) string {
	parts := strings.Split(strings.Trim(pattern, "/"), "/")
	if strings.ContainsAny(parts[len(parts)-1], `*?[{(\`) || slices.Contains(parts, "..") {
		return ""
	}
	parts = slices.DeleteFunc(parts, func(part string) bool { return strings.ContainsAny(part, `*?[{(\`) || part == "." })
	return strings.Join(parts, "/")
}

// splitPatterns returns the patterns in a text. They are separated by blanks, and by commas outside
// braces.
func splitPatterns(text string) []string {
	depth := 0
	fields := strings.FieldsFunc(text, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		return r == ' ' || r == '\t' || r == '\n' || r == ',' && depth <= 0
	})
	var list []string
	for _, field := range fields {
		list = append(list, alternatives(field)...)
	}
	return list
}

// alternatives returns the patterns that a pattern with choices in braces abbreviates; if there are more
// than maxNamed, at least one more than that. Nested choices stay unchanged.
func alternatives(pattern string) []string {
	before, rest, found := strings.Cut(pattern, "{")
	choices, after, closed := strings.Cut(rest, "}")
	if !found || !closed || strings.Contains(choices, "{") {
		return []string{pattern}
	}
	var list []string
	for choice := range strings.SplitSeq(choices, ",") {
		for _, alternative := range alternatives(before + choice + after) {
			if len(list) <= maxNamed { // one too many is enough for a refusal
				list = append(list, alternative)
			}
		}
	}
	return list
}
