package shell

import (
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxBraced limits the words to which one word with braces is expanded.
const maxBraced = 64

// expandBraces expands a word of plain text and one pair of braces as shells do. It returns any other word
// unchanged.
func (w *walker) expandBraces(item Word) []Word {
	plain := strings.Trim(item.Text, braceText) == "" && strings.Count(item.Text, "..") == 0
	if !plain || w.variant == syntax.LangPOSIX || strings.Count(item.Text, "{") != 1 || strings.Count(item.Text, "}") != 1 {
		return []Word{item}
	}
	source := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: item.Text}}}
	syntax.SplitBraces(source)
	var words []Word
	for _, expanded := range expand.Braces(source) {
		text := expanded.Lit()
		if text == "" || len(words) == maxBraced || strings.ContainsAny(text, "{}") {
			return []Word{item}
		}
		words = append(words, Word{Text: text})
	}
	return words
}

// braceText lists the characters of words whose braces all such shells expand in the same way.
const braceText = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./@%+:{,}"
