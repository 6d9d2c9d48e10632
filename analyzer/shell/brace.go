package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraced is how many words one word with braces may become here.
const maxBraced = 64

// multiplied returns the words that a word of plain text and braces becomes, in the
// shells that expand braces. Every other word it returns as it is.
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

// braceText are the characters of words whose braces every shell expands alike.
const braceText = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+:{,}"
