package analyzer

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// word returns the value of a word after quote removal. A word of which that
// cannot be said exactly is refused; then the value means nothing.
//
// Values are read from the text itself, not from the tree: the tree says where a
// part begins and ends, and the rules of quoting say what is in it.
func (w *walker) word(node *syntax.Word) string {
	start, end := w.span(node)
	if i := strings.Index(w.text[start:end], "\\\n"); i >= 0 {
		w.refuse(kindGuard, "line continuation inside a word", start+i, start+i+2)
		return ""
	}
	if value, ok := w.plain(node, start, end); ok {
		return value
	}
	v := value{walker: w, brace: -1}
	seen := start
	for _, part := range node.Parts {
		from, to := w.span(part)
		if from != seen {
			w.refuse(kindGuard, "word with text that the parser skips", seen, from)
		}
		v.part(part, from, to)
		seen = to
	}
	if seen != end {
		w.refuse(kindGuard, "word with text that the parser skips", seen, end)
	}
	v.braces()
	return string(v.bytes)
}

// plain is the quick way for a word of ordinary characters only, which is most
// of them: its value is its text.
func (w *walker) plain(node *syntax.Word, start, end int) (string, bool) {
	if len(node.Parts) != 1 {
		return "", false
	}
	if _, ok := node.Parts[0].(*syntax.Lit); !ok {
		return "", false
	}
	text := w.text[start:end]
	return text, ordinary(text)
}

// ordinary reports whether a text has only characters that mean themselves to
// every shell, wherever they stand.
func ordinary(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_./=:,@%+", c) >= 0:
		default:
			return false
		}
	}
	return true
}

// value builds the value of one word.
type value struct {
	*walker
	bytes []byte
	// brace is where in bytes the first unquoted { stands, and braceAt where in
	// the text; brace is -1 when there is none.
	brace, braceAt int
}

// part is the one switch over the kinds of word part.
func (v *value) part(node syntax.WordPart, from, to int) {
	switch node := node.(type) {
	case *syntax.Lit:
		v.unquoted(from, to)
	case *syntax.SglQuoted:
		v.single(node, from, to)
	case *syntax.DblQuoted:
		v.double(node, from, to)
	default:
		v.refusePart(node)
	}
}

// unquoted reads text outside of quotes. A backslash quotes the next character;
// every character with a meaning of its own is refused.
func (v *value) unquoted(from, to int) {
	for i := from; i < to; i++ {
		c := v.text[i]
		switch c {
		case '\\':
			if i++; i == to {
				v.refuse(kindGuard, "backslash at the end of the text", i-1, i)
				return
			}
			c = v.text[i]
		case '*', '?', '[', ']':
			v.refuse(kindExpansion, "pathname expansion "+string(c), i, i+1)
		case '~':
			if n := len(v.bytes); n == 0 || v.bytes[n-1] == '=' || v.bytes[n-1] == ':' {
				v.refuse(kindExpansion, "tilde expansion ~", i, i+1)
			}
		case '$':
			v.refuse(kindExpansion, "expansion $", i, i+1)
		case '{':
			if v.brace < 0 {
				v.brace, v.braceAt = len(v.bytes), i
			}
		case '#':
			if len(v.bytes) == 0 {
				v.refuse(kindGuard, "word that begins with #", i, i+1)
			}
		case ' ', '\t', '\n', '\'', '"', '`', '|', '&', ';', '(', ')', '<', '>':
			v.refuse(kindGuard, "character "+string(c)+" inside a word", i, i+1)
		}
		if c >= utf8.RuneSelf {
			v.lookalike(i)
		}
		v.bytes = append(v.bytes, c)
	}
}

// lookalike refuses a sign beyond ASCII that stands outside of quotes: such
// signs pass for operators to a reader, as U+037E does for a semicolon. Letters
// and digits of every script are words.
func (v *value) lookalike(i int) {
	r, width := utf8.DecodeRuneInString(v.text[i:])
	if utf8.RuneStart(v.text[i]) && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
		v.refuse(kindGuard, fmt.Sprintf("sign U+%04X outside of quotes", r), i, i+width)
	}
}

// refusePart refuses a part that is not plain text.
func (v *value) refusePart(part syntax.WordPart) {
	start, end := v.span(part)
	kind, construct := partName(v.text[start:end], part)
	v.refuse(kind, construct, start, end)
}

// single reads single quotes, inside of which nothing has a meaning.
func (v *value) single(node *syntax.SglQuoted, from, to int) {
	if node.Dollar {
		v.refuse(kindExpansion, "quoting $' '", from, to)
		return
	}
	if !v.delimited(from, to, '\'') {
		return
	}
	inside := v.text[from+1 : to-1]
	if strings.IndexByte(inside, '\'') >= 0 {
		v.refuse(kindGuard, "quotes that end early", from, to)
	}
	v.bytes = append(v.bytes, inside...)
}

// double reads double quotes around plain text, inside of which a backslash
// quotes only $ ` " and itself, and else stands for itself.
func (v *value) double(node *syntax.DblQuoted, from, to int) {
	if node.Dollar {
		v.refuse(kindExpansion, `quoting $" "`, from, to)
		return
	}
	for _, part := range node.Parts {
		if _, ok := part.(*syntax.Lit); !ok {
			v.refusePart(part)
			return
		}
	}
	if !v.delimited(from, to, '"') {
		return
	}
	for i := from + 1; i < to-1; i++ {
		c := v.text[i]
		switch c {
		case '\\':
			if next := v.text[i+1]; strings.IndexByte("$`\"\\", next) >= 0 {
				i++
				if i == to-1 { // the backslash would quote the closing quote
					v.refuse(kindGuard, "quotes that end early", from, to)
					return
				}
				c = next
			}
		case '$': // literal only where no shell could read on
			if next := v.text[i+1]; next != '"' && next != ' ' {
				v.refuse(kindExpansion, "expansion $", i, i+1)
			}
		case '`', '"':
			v.refuse(kindGuard, "quotes that end early", from, to)
		}
		v.bytes = append(v.bytes, c)
	}
}

// delimited checks that a part stands between two of the same quote.
func (v *value) delimited(from, to int, quote byte) bool {
	if to-from >= 2 && v.text[from] == quote && v.text[to-1] == quote {
		return true
	}
	v.refuse(kindGuard, "quotes that do not match", from, to)
	return false
}

// braces refuses a word that a shell might multiply: an unquoted { with a comma
// or two dots anywhere after it.
func (v *value) braces() {
	if v.brace < 0 {
		return
	}
	if inside := string(v.bytes[v.brace:]); strings.Contains(inside, ",") || strings.Contains(inside, "..") {
		v.refuse(kindExpansion, "brace expansion { }", v.braceAt, v.braceAt+1)
	}
}
