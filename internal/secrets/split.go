package secrets

import "strings"

// word is a word of a shell command. plain is what is left of it without quotes, and at
// where each byte of plain, and its end, is in the text.
type word struct {
	plain  string
	at     []int
	first  bool // of a command
	quoted bool // it held quotes or escapes
}

// in is where a part of plain is in the text.
func (w word) in(s span) span {
	if s.end <= s.start {
		return span{}
	}
	return span{w.at[s.start], w.at[s.end-1] + 1}
}

// quotedAt tells whether a quote begins right before a byte of plain.
func (w word) quotedAt(i int) bool {
	return i > 0 && i < len(w.at) && w.at[i] > w.at[i-1]+1
}

// split reads a text as words. A quote that nothing ends is a letter like any other.
func split(text string) (words []word) {
	first := true
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case strings.IndexByte(";|&()`\n", c) >= 0:
			first = true
			i++
		case strings.IndexByte(" \t\r<>", c) >= 0:
			i++
		default:
			w := word{first: first}
			i = w.read(text, i)
			words = append(words, w)
			first = false
		}
	}
	return words
}

// read reads a word that begins at i, and returns where it ends.
func (w *word) read(text string, i int) int {
	longest := len(text) - i
	if end := strings.IndexAny(text[i:], " \t\r\n;|&()<>`"); end >= 0 {
		longest = end // as far as it has no quotes
	}
	plain := make([]byte, 0, longest)
	w.at = make([]int, 0, longest)
	keep := func(i int) {
		plain = append(plain, text[i])
		w.at = append(w.at, i)
	}
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			w.quoted = true
			i++
			keep(i)
		case c == '\'' || c == '"':
			end := closing(text, i)
			if end < 0 {
				keep(i)
				continue
			}
			w.quoted = true
			for i++; i < end; i++ {
				if c == '"' && text[i] == '\\' && i+1 < end && strings.IndexByte("\\\"$`\n", text[i+1]) >= 0 {
					i++
				}
				keep(i)
			}
		case c == '&' && inURL(plain):
			keep(i)
		case strings.IndexByte(" \t\r\n;|&()<>`", c) >= 0:
			w.plain = string(plain)
			return i
		default:
			keep(i)
		}
	}
	w.plain = string(plain)
	return i
}

// inURL tells whether a word is a URL with a query, in which people forget to quote &.
func inURL(word []byte) bool {
	text := string(word)
	return strings.Contains(text, "://") && strings.Contains(text, "?")
}

// closing is where the quote at i is closed, or -1.
func closing(text string, i int) int {
	for j := i + 1; j < len(text); j++ {
		switch {
		case text[j] == text[i]:
			return j
		case text[j] == '\\' && text[i] == '"':
			j++
		}
	}
	return -1
}
