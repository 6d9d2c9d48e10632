// Package describe turns the comments of Go structs into descriptions for JSON Schemas. Readers of
// a schema see JSON: they know neither the names of Go fields nor nil.
package describe

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Description returns the comment of a field or type called subject as a description. members maps
// the Go names of the fields of the same struct to their names in JSON. Where the comment begins
// with its subject, as doc comments do, the description leaves it out: "Waiting is true if it
// waits." becomes "True if it waits."
func Description(comment, subject string, members map[string]string) string {
	comment = regexp.MustCompile(`\bnil\b`).ReplaceAllString(comment, "null")
	if rest, ok := strings.CutPrefix(comment, subject+" "); ok {
		first, after, _ := strings.Cut(rest, " ")
		switch {
		case first == "is" || first == "are":
			comment = upperFirst(after)
		case strings.HasSuffix(first, "s"): // a verb
			comment = upperFirst(rest)
		}
	}
	names := regexp.MustCompile(`\b[A-Z][A-Za-z0-9]*\b`)
	return names.ReplaceAllStringFunc(comment, func(word string) string {
		if word == "Nil" {
			return "Missing or null"
		}
		if name, ok := members[word]; ok {
			return name
		}
		return word
	})
}

func upperFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}
