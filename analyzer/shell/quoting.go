package shell

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// single reads single quotes, inside which no character has a special meaning.
func (v *value) single(node *syntax.SglQuoted, from, to int) {
	if node.Dollar {
		v.escapes(from, to)
		return
	}
	if !v.delimited(from, to, '\'') {
		return
	}
	inside := v.text[from+1 : to-1]
	if strings.IndexByte(inside, '\'') >= 0 {
		v.refuse(kindGuard, "quotes that end early", from, to)
	}
	v.recordQuoted(from+1, to-1)
	v.bytes = append(v.bytes, inside...)
}

// recordQuoted records plain text inside quotes, if that may matter.
func (v *value) recordQuoted(from, to int) {
	unusual := func(r rune) bool { return r == '\\' || r >= utf8.RuneSelf }
	if strings.ContainsFunc(v.text[from:to], unusual) {
		v.quoted = append(v.quoted, Span{from, to})
	}
}

// escapes reads $' ', with the escapes that all shells read alike.
func (v *value) escapes(from, to int) {
	if !v.delimited(from+1, to, '\'') {
		return
	}
	for i := from + 2; i < to-1; i++ {
		c := v.text[i]
		if c == '\\' {
			i++
			at := strings.IndexByte(`nt\'"`, v.text[i])
			if at < 0 || i == to-1 {
				v.refuse(kindExpansion, "quoting $' '", from, to)
				return
			}
			c = "\n\t\\'\""[at]
		}
		v.bytes = append(v.bytes, c)
	}
}

// double reads double quotes: plain text, and the expansions in it.
func (v *value) double(node *syntax.DblQuoted, from, to int) {
	if node.Dollar {
		v.refuse(kindExpansion, `quoting $" "`, from, to)
		return
	}
	if !v.delimited(from, to, '"') {
		return
	}
	v.emitSource(from, from+1)
	seen := from + 1
	for _, part := range node.Parts {
		start, end := v.span(part)
		if _, plain := part.(*syntax.Lit); plain {
			continue
		}
		v.doubleQuoted(seen, start)
		v.expansion(part, start, end, true)
		seen = end
	}
	v.doubleQuoted(seen, to-1)
	v.emitSource(to-1, to)
}

// doubleQuoted reads plain text inside double quotes, where a backslash quotes only $ ` " and itself,
// and is literal otherwise.
func (v *value) doubleQuoted(from, to int) {
	v.recordQuoted(from, to)
	for i := from; i < to; i++ {
		c := v.text[i]
		switch c {
		case '\\':
			next := v.text[i+1]
			if next == '\n' {
				v.refuse(kindGuard, "line continuation inside a word", i, i+2)
			}
			if strings.IndexByte("$`\"\\", next) >= 0 {
				i++
				if i == to { // the backslash would quote the end of the text
					v.refuse(kindGuard, "quotes that end early", from, to)
					return
				}
				c = next
			}
		case '$': // literal only if no shell could read on
			if next := v.text[i+1]; next != '"' && next != ' ' || i+1 == to && next != '"' {
				v.refuse(kindExpansion, "expansion $", i, i+1)
			}
		case '`', '"':
			v.refuse(kindGuard, "quotes that end early", from, to)
		}
		v.bytes = append(v.bytes, c)
	}
	v.emitSource(from, to)
}

// delimited checks that a part is between two of the same quote.
func (v *value) delimited(from, to int, quote byte) bool {
	if to-from >= 2 && v.text[from] == quote && v.text[to-1] == quote {
		return true
	}
	v.refuse(kindGuard, "quotes that do not match", from, to)
	return false
}

// quote returns a word in single quotes.
func quote(word string) string {
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
