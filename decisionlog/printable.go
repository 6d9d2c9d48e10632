package decisionlog

import (
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// del is the only ASCII control character that JSON does not require to be escaped.
const del = 0x7f

// printable escapes characters that JSON allows, but that a terminal interprets or does not show:
// DEL, the control characters above it (U+009B begins a sequence, like ESC [), and characters that
// change the direction of text or have no width. People read the log with cat and tail. For a JSON
// reader the text is the same.
func printable(line []byte) []byte {
	var out []byte // nil as long as nothing is escaped
	start := 0
	for i := 0; i < len(line); {
		if line[i] < del {
			i++
			continue
		}
		r, size := utf8.DecodeRune(line[i:])
		if !unicode.IsPrint(r) {
			out = appendEscape(append(out, line[start:i]...), r)
			start = i + size
		}
		i += size
	}
	if start == 0 {
		return line
	}
	return append(out, line[start:]...)
}

// appendEscape appends the JSON escape of a character.
func appendEscape(line []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != unicode.ReplacementChar {
		return appendEscape(appendEscape(line, high), low)
	}
	const hex = "0123456789abcdef"
	return append(line, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
