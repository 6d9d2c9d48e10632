package sessions

import (
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"
)

// keys are what a terminal sends for the names of keys, as tmux writes them.
func keys() map[string]string {
	return map[string]string{
		"enter": "\r", "return": "\r", "tab": "\t", "btab": "\x1b[Z", "space": " ", "bspace": "\x7f", "backspace": "\x7f", "escape": "\x1b", "esc": "\x1b",
		"up": "\x1b[A", "down": "\x1b[B", "right": "\x1b[C", "left": "\x1b[D", "home": "\x1b[H", "end": "\x1b[F",
		"pageup": "\x1b[5~", "ppage": "\x1b[5~", "pgup": "\x1b[5~", "pagedown": "\x1b[6~", "npage": "\x1b[6~", "pgdn": "\x1b[6~",
		"insert": "\x1b[2~", "ic": "\x1b[2~", "delete": "\x1b[3~", "dc": "\x1b[3~",
		"f1": "\x1bOP", "f2": "\x1bOQ", "f3": "\x1bOR", "f4": "\x1bOS", "f5": "\x1b[15~", "f6": "\x1b[17~", "f7": "\x1b[18~", "f8": "\x1b[19~",
		"f9": "\x1b[20~", "f10": "\x1b[21~", "f11": "\x1b[23~", "f12": "\x1b[24~",
	}
}

// key is what a terminal sends for one key: a name, one sign, or either with C- or M-.
func key(name string) (string, error) {
	unknown := fmt.Errorf("there is no key %q; use names such as Enter, Up or C-c, and literal for text", name)
	if bytes, ok := keys()[strings.ToLower(name)]; ok {
		return bytes, nil
	}
	switch prefix, rest, _ := strings.Cut(name, "-"); {
	case len([]rune(name)) == 1 && name >= " " && name != "\x7f":
		return name, nil
	case strings.EqualFold(prefix, "c") && len(rest) == 1:
		c := rest[0]
		switch {
		case c >= 'a' && c <= 'z':
			return string(rune(c - 'a' + 1)), nil
		case c >= '@' && c <= '_':
			return string(rune(c - '@')), nil
		}
		return "", unknown
	case strings.EqualFold(prefix, "m") && rest != "":
		inner, err := key(rest)
		if err != nil {
			return "", unknown
		}
		return "\x1b" + inner, nil
	}
	return "", unknown
}

// typed is what send-keys types: keys, then bytes in hexadecimal, then text.
func typed(names, bytes []string, literal string) (string, error) {
	var text strings.Builder
	for _, name := range names {
		sent, err := key(name)
		if err != nil {
			return "", err
		}
		text.WriteString(sent)
	}
	for _, word := range bytes {
		sent, err := hex.DecodeString(strings.TrimPrefix(word, "0x"))
		if err != nil {
			return "", fmt.Errorf("hex has %q, which is not hexadecimal", word)
		}
		text.Write(sent)
	}
	text.WriteString(literal)
	return text.String(), nil
}

// The marks around a pasted text.
const (
	pasteBegin = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// pasted is a text as a terminal pastes it. What a terminal or its program obeys is not text: the end
// of a paste, in whatever spelling, and keys such as C-c, which the terminal itself obeys.
func pasted(text string, bracketed bool) (string, error) {
	if !bracketed {
		return text, nil
	}
	for at, r := range text {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError {
			return "", fmt.Errorf("the text has the control character %q at byte %d, and what follows it could be taken for typed: leave it out, or type it with send-keys", r, at)
		}
	}
	return pasteBegin + text + pasteEnd, nil
}
