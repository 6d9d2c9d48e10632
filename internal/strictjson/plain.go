package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel"
)

// maxPlain is how long a document may be, in bytes, that [plain] reads. It has fewer
// values than [MaxCallValues].
const maxPlain = 4 << 10

// plain reads a call that is written in the plainest way: every member once, texts of
// ASCII, true, false, null where it is a value, and small whole numbers. That takes a
// quarter of the time that the library takes, for which there is no need to look at
// types. It never says that a document is wrong: what is not plain is left to the library,
// which reads it or refuses it. A test and a fuzzer hold the two against one another.
type plain struct {
	text []byte
	at   int
}

// readPlain reads a plain call. When it reports false, what it returns means nothing.
func readPlain(data []byte) (call gavel.Call, ok bool) {
	if len(data) > maxPlain {
		return call, false
	}
	p := plain{text: data}
	ok = p.value(&call)
	return call, ok && p.peek() == 0 && p.at == len(data)
}

// peek is the next byte that is not a blank; 0 at the end.
func (p *plain) peek() byte {
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take takes the next byte that is not a blank, if it is this one.
func (p *plain) take(c byte) bool {
	if p.peek() != c {
		return false
	}
	p.at++
	return true
}

// name reads the name of a member, of printable ASCII without a backslash.
func (p *plain) name() (name []byte, ok bool) {
	if !p.take('"') {
		return nil, false
	}
	for start := p.at; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return p.text[start : p.at-1], true
		case c < ' ' || c > '~' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// string reads a text, in which signs may be escaped.
func (p *plain) string() (text string, ok bool) {
	start := p.at
	if whole, ok := p.name(); ok {
		return string(whole), true
	}
	p.at = start
	if !p.take('"') {
		return "", false
	}
	var built []byte
	for ; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(built), true
		case c < ' ' || c > '~':
			return "", false
		case c == '\\':
			if c, ok = p.escaped(); !ok {
				return "", false
			}
			built = append(built, c)
		default:
			built = append(built, c)
		}
	}
	return "", false
}

// escaped reads what follows a backslash, which must be one ASCII character, up to that character.
func (p *plain) escaped() (c byte, ok bool) {
	if p.at++; p.at == len(p.text) {
		return 0, false
	}
	const letters, means = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(letters, p.text[p.at]); i >= 0 {
		return means[i], true
	}
	if end := p.at + len("u0000"); p.text[p.at] == 'u' && end <= len(p.text) {
		digits := p.text[p.at+1 : end]
		for _, d := range digits {
			if !('0' <= d && d <= '9' || 'a' <= d && d <= 'f' || 'A' <= d && d <= 'F') {
				return 0, false
			}
		}
		n, err := strconv.ParseUint(string(digits), 16, 16)
		p.at = end - 1
		return byte(n), err == nil && n < utf8.RuneSelf
	}
	return 0, false
}

// word takes a word, which a sign has to follow.
func (p *plain) word(word string) bool {
	p.peek()
	if end := p.at + len(word); end <= len(p.text) && string(p.text[p.at:end]) == word {
		p.at = end
		return true
	}
	return false
}

func (p *plain) flag(into *bool) bool {
	*into = p.word("true")
	return *into || p.word("false")
}

// number reads a whole number of one to six digits.
func (p *plain) number(into *int) bool {
	p.peek()
	start, n := p.at, 0
	for ; p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9'; p.at++ {
		if p.at-start == 6 {
			return false
		}
		n = 10*n + int(p.text[p.at]-'0')
	}
	*into = n
	return p.at > start && (p.text[start] != '0' || p.at == start+1)
}

// list reads what stands between two brackets, with commas in between.
func (p *plain) list(open, end byte, element func() bool) bool {
	if !p.take(open) {
		return false
	}
	if p.take(end) {
		return true
	}
	for element() {
		if p.take(end) {
			return true
		}
		if !p.take(',') {
			return false
		}
	}
	return false
}

// object reads an object.
func (p *plain) object(value func(name []byte) bool) bool {
	return p.list('{', '}', func() bool {
		name, ok := p.name()
		return ok && p.take(':') && value(name)
	})
}
