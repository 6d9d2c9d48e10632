package spelling

import (
	"strings"
)

// Portable reports whether every shell accepts a name as the name of a variable.
func Portable(name string) bool {
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		case '0' <= c && c <= '9' && i > 0:
		default:
			return false
		}
	}
	return name != ""
}

// NameByte reports whether a byte may be part of a name or of a character beyond ASCII.
func NameByte(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || c >= 0x80
}

// Digits reports whether s is a decimal number.
func Digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Base returns what follows the last slash, or the whole word if it has none.
func Base(word string) string { return word[strings.LastIndexByte(word, '/')+1:] }

// Ordinary reports whether a text has only characters that every shell reads literally, at any
// position.
func Ordinary(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-_./=:,@%+", c) >= 0:
		default:
			return false
		}
	}
	return true
}
