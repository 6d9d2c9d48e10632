package analyzer

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraced is how many words one word with braces may become here.
const maxBraced = 64

// multiplied returns the words that a word of plain text and braces becomes, in the
// shells that expand braces. Every other word it returns as it is.
func (w *walker) multiplied(one word) []word {
	plain := strings.Trim(one.text, braceText) == "" && strings.Count(one.text, "..") == 0
	if !plain || w.variant == syntax.LangPOSIX || strings.Count(one.text, "{") != 1 || strings.Count(one.text, "}") != 1 {
		return []word{one}
	}
	source := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: one.text}}}
	syntax.SplitBraces(source)
	var words []word
	for _, expanded := range expand.Braces(source) {
		text := expanded.Lit()
		if text == "" || len(words) == maxBraced || strings.ContainsAny(text, "{}") {
			return []word{one}
		}
		words = append(words, word{text: text})
	}
	return words
}

// braceText are the characters of words whose braces every shell expands alike.
const braceText = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+:{,}"
