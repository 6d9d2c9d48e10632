package strictjson

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel"
)

// maxFastCall is how long a document may be, in bytes, that [plain] reads. It has fewer
// values than [MaxCallValues].
const maxFastCall = 4 << 10

// fastDecoder reads a call that is written in the plainest way: every member once, texts of
// ASCII, true, false, null where it is a value, and small whole numbers. That takes a
// quarter of the time that the library takes, for which there is no need to look at
// types. It never says that a document is wrong: what is not plain is left to the library,
// which reads it or refuses it. A test and a fuzzer hold the two against one another.
type fastDecoder struct {
	text []byte
	pos  int
}

// decodeCallFast reads a plain call. When it reports false, what it returns means nothing.
func decodeCallFast(data []byte) (call gavel.Call, ok bool) {
	if len(data) > maxFastCall {
		return call, false
	}
	d := fastDecoder{text: data}
	ok = d.value(&call)
	return call, ok && d.peek() == 0 && d.pos == len(data)
}

// peek is the next byte that is not white space; 0 at the end.
func (d *fastDecoder) peek() byte {
	for ; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// take takes the next byte that is not white space, if it is this one.
func (d *fastDecoder) take(c byte) bool {
	if d.peek() != c {
		return false
	}
	d.pos++
	return true
}

// name reads the name of a member, of printable ASCII without a backslash.
func (d *fastDecoder) name() (name []byte, ok bool) {
	if !d.take('"') {
		return nil, false
	}
	for start := d.pos; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; {
		case c == '"':
			d.pos++
			return d.text[start : d.pos-1], true
		case c < ' ' || c > '~' || c == '\\':
			return nil, false
		}
	}
	return nil, false
}

// string reads a text, in which signs may be escaped.
func (d *fastDecoder) string() (text string, ok bool) {
	start := d.pos
	if whole, ok := d.name(); ok {
		return string(whole), true
	}
	d.pos = start
	if !d.take('"') {
		return "", false
	}
	var unescaped []byte
	for ; d.pos < len(d.text); d.pos++ {
		switch c := d.text[d.pos]; {
		case c == '"':
			d.pos++
			return string(unescaped), true
		case c < ' ' || c > '~':
			return "", false
		case c == '\\':
			if c, ok = d.escape(); !ok {
				return "", false
			}
			unescaped = append(unescaped, c)
		default:
			unescaped = append(unescaped, c)
		}
	}
	return "", false
}

// escape reads what stands behind a backslash, up to its last sign: one sign of ASCII.
func (p *fastDecoder) escape() (c byte, ok bool) {
	if p.pos++; p.pos == len(p.text) {
		return 0, false
	}
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	if i := strings.IndexByte(letters, p.text[p.pos]); i >= 0 {
		return meanings[i], true
	}
	if end := p.pos + len("u0000"); p.text[p.pos] == 'u' && end <= len(p.text) {
		digits := p.text[p.pos+1 : end]
		for _, d := range digits {
			if !('0' <= d && d <= '9' || 'a' <= d && d <= 'f' || 'A' <= d && d <= 'F') {
				return 0, false
			}
		}
		n, err := strconv.ParseUint(string(digits), 16, 16)
		p.pos = end - 1
		return byte(n), err == nil && n < utf8.RuneSelf
	}
	return 0, false
}

// literal takes a word, which a sign has to follow.
func (d *fastDecoder) literal(word string) bool {
	d.peek()
	if end := d.pos + len(word); end <= len(d.text) && string(d.text[d.pos:end]) == word {
		d.pos = end
		return true
	}
	return false
}

func (d *fastDecoder) bool(dst *bool) bool {
	*dst = d.literal("true")
	return *dst || d.literal("false")
}

// int reads a whole number of one to six digits.
func (d *fastDecoder) int(dst *int) bool {
	d.peek()
	start, n := d.pos, 0
	for ; d.pos < len(d.text) && '0' <= d.text[d.pos] && d.text[d.pos] <= '9'; d.pos++ {
		if d.pos-start == 6 {
			return false
		}
		n = 10*n + int(d.text[d.pos]-'0')
	}
	*dst = n
	return d.pos > start && (d.text[start] != '0' || d.pos == start+1)
}

// elements reads what stands between two brackets, with commas in between.
func (d *fastDecoder) elements(open, end byte, element func() bool) bool {
	if !d.take(open) {
		return false
	}
	if d.take(end) {
		return true
	}
	for element() {
		if d.take(end) {
			return true
		}
		if !d.take(',') {
			return false
		}
	}
	return false
}

// object reads an object.
func (d *fastDecoder) object(value func(name []byte) bool) bool {
	return d.elements('{', '}', func() bool {
		name, ok := d.name()
		return ok && d.take(':') && value(name)
	})
}
