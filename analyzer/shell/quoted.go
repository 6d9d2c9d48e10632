package shell

import (
	"strings"
)

// quoted returns a word in single quotes.
func quoted(word string) string {
	var text strings.Builder
	Quote(&text, word)
	return text.String()
}

// Quote writes a word in single quotes. Each quote in the word is written outside them.
func Quote(text *strings.Builder, word string) {
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
