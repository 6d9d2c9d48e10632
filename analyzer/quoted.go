package analyzer

import (
	"strings"
)

// quoted returns a word in single quotes.
func quoted(word string) string {
	var text strings.Builder
	quote(&text, word)
	return text.String()
}

// quote writes a word in single quotes. A quote inside stands between them.
func quote(text *strings.Builder, word string) {
	text.WriteByte('\'')
	for {
		before, after, found := strings.Cut(word, "'")
		text.WriteString(before)
		if !found {
			break
		}
		text.WriteString(`'\''`)
		word = after
	}
	text.WriteByte('\'')
}
