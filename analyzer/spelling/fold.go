// Package spelling says when two texts are the same name, and what a text may be: the name of a
// variable, a number, or a word that every shell reads literally. It knows no grammar and looks
// nothing up.
package spelling

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Tidy sorts names and removes blanks and duplicates. It never returns nil.
func Tidy(names []string) []string {
	kept := make([]string, 0, len(names))
	for _, name := range names {
		if name != "" {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

// Name trims and lower-cases a name of ASCII letters. Only tools have such names; a name with any
// other character is left unchanged, and so is unknown.
func Name(given string) string {
	name := strings.TrimSpace(given)
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return name
		}
	}
	return strings.ToLower(name)
}
