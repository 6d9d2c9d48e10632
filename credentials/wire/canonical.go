package wire

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// spelling is how a signer writes backspace and form feed in JSON. Programs built with Go
// before 1.22 use \u0008 and \u000c. Both mean the same, so that neither can pass for another
// text.
type spelling bool

const (
	short spelling = false
	long  spelling = true
)

// canonicalArgs is the text of arguments that is signed. No list at all differs from an empty one.
func canonicalArgs(args *[]string, s spelling) string {
	if args == nil || *args == nil {
		return "null"
	}
	var out strings.Builder
	out.WriteByte('[')
	for i, arg := range *args {
		if i > 0 {
			out.WriteByte(',')
		}
		quote(&out, arg, s)
	}
	out.WriteByte(']')
	return out.String()
}

// canonicalEnv is the text of variables that is signed: sorted by the bytes of their names.
func canonicalEnv(env map[string]string, s spelling) string {
	var out strings.Builder
	out.WriteByte('{')
	for i, name := range slices.Sorted(maps.Keys(env)) {
		if i > 0 {
			out.WriteByte(',')
		}
		quote(&out, name, s)
		out.WriteByte(':')
		quote(&out, env[name], s)
	}
	out.WriteByte('}')
	return out.String()
}

// quote writes a text as clients do: with <, >, & and the two line separators of Unicode escaped.
// It is part of the protocol, so that it must not change when a JSON library does.
func quote(out *strings.Builder, text string, s spelling) {
	out.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"', r == '\\':
			out.WriteByte('\\')
			out.WriteRune(r)
		case r == '\n':
			out.WriteString(`\n`)
		case r == '\r':
			out.WriteString(`\r`)
		case r == '\t':
			out.WriteString(`\t`)
		case r == '\b' && s == short:
			out.WriteString(`\b`)
		case r == '\f' && s == short:
			out.WriteString(`\f`)
		case r < ' ', r == '<', r == '>', r == '&', r == '\u2028', r == '\u2029':
			fmt.Fprintf(out, `\u%04x`, r)
		default:
			out.WriteRune(r)
		}
	}
	out.WriteByte('"')
}

// spellings are the ways in which a signer may have written these texts.
func spellings(args *[]string, env map[string]string) []spelling {
	odd := func(text string) bool { return strings.ContainsAny(text, "\b\f") }
	for name, value := range env {
		if odd(name) || odd(value) {
			return []spelling{short, long}
		}
	}
	if args != nil && slices.ContainsFunc(*args, odd) {
		return []spelling{short, long}
	}
	return []spelling{short}
}

// valid reports whether a text is valid UTF-8 without U+FFFD: signers write bytes that are not
// as that character, so that it may stand for anything.
func valid(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsRune(text, utf8.RuneError)
}
