package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraced is the number of words that one word with braces may become.
const maxBraced = 64

// multiplied expands a word of plain text and braces as shells with brace expansion do. It
// returns any other word as it is.
func (w *walker) multiplied(one Word) []Word {
	plain := strings.Trim(one.Text, braceText) == "" && strings.Count(one.Text, "..") == 0
	if !plain || w.variant == syntax.LangPOSIX || strings.Count(one.Text, "{") != 1 || strings.Count(one.Text, "}") != 1 {
		return []Word{one}
	}
	source := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: one.Text}}}
	syntax.SplitBraces(source)
	var words []Word
	for _, expanded := range expand.Braces(source) {
		text := expanded.Lit()
		if text == "" || len(words) == maxBraced || strings.ContainsAny(text, "{}") {
			return []Word{one}
		}
		words = append(words, Word{Text: text})
	}
	return words
}

// braceText lists the characters of words whose braces all such shells expand in the same way.
const braceText = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+:{,}"
