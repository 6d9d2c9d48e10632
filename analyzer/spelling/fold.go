// Package spelling says when two texts are the same name, and what a text may be: the
// name of a variable, a number, a word that every shell reads as it is written. It knows
// no grammar and looks nothing up.
package spelling

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold trims and lower-cases an identity. A character beyond ASCII never folds
// into an ASCII letter (as the Kelvin sign would into k): a look-alike must not
// become the name that it looks like.
func Fold(s string) string {
	s = strings.TrimSpace(s)
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || ('A' <= c && c <= 'Z') {
			return strings.Map(foldRune, s)
		}
	}
	return s
}

func foldRune(r rune) rune {
	lower := unicode.ToLower(r)
	if r >= utf8.RuneSelf && lower < utf8.RuneSelf {
		return r
	}
	return lower
}

// Tidy sorts names and drops blanks and repetitions. It never returns nil.
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

// Name trims and lower-cases a name of ASCII letters. Tools have such names
// only, so that a name with any other character is left unchanged and is unknown.
func Name(given string) string {
	name := strings.TrimSpace(given)
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return name
		}
	}
	return strings.ToLower(name)
}
