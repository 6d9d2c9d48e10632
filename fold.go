package gavel

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Fold trims and lower-cases the id of an agent, a session or a channel. All code that compares ids
// folds both of them with it. A character outside ASCII never folds into an ASCII letter (as the
// Kelvin sign would fold into k), so a look-alike never becomes the name that it imitates.
func Fold(id string) string {
	id = strings.TrimSpace(id)
	for i := range len(id) {
		if c := id[i]; c >= utf8.RuneSelf || ('A' <= c && c <= 'Z') {
			return strings.Map(foldRune, id)
		}
	}
	return id
}

func foldRune(r rune) rune {
	lower := unicode.ToLower(r)
	if r >= utf8.RuneSelf && lower < utf8.RuneSelf {
		return r
	}
	return lower
}
