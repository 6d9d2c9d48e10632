package analyzer

import "strings"

// plainSed reports whether a sed script is made of nothing but addresses and
// commands that neither run programs nor open files: no e, w, W, r, R, F, no s with
// the flag e or w, and no a, i, c, whose text reaches further than it seems. What
// is not understood is not plain.
//
// The rules are those that GNU, BSD and busybox sed share: what one of them would
// read otherwise is not plain.
func plainSed(script string) bool {
	s := &sedScript{cursor{text: script}}
	for s.at < len(s.text) {
		s.skip(" \t\n;")
		if s.at == len(s.text) {
			return true
		}
		if !s.addresses() || !s.command() {
			return false
		}
	}
	return true
}

type sedScript struct{ cursor }

// cursor is a place in a text.
type cursor struct {
	text string
	at   int
}

// skip goes past all bytes of a set.
func (c *cursor) skip(set string) {
	for c.at < len(c.text) && strings.IndexByte(set, c.text[c.at]) >= 0 {
		c.at++
	}
}

// next takes one byte, or 0 at the end.
func (s *sedScript) next() byte {
	if s.at == len(s.text) {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

func (s *sedScript) peek() byte {
	if s.at == len(s.text) {
		return 0
	}
	return s.text[s.at]
}

// addresses takes up to two addresses and the ! behind them.
func (s *sedScript) addresses() bool {
	if !s.address() {
		return false
	}
	s.skip(" \t")
	if s.peek() == ',' {
		s.at++
		s.skip(" \t+~")
		if !s.address() {
			return false
		}
	}
	s.skip(" \t!")
	return true
}

func (s *sedScript) address() bool {
	switch c := s.peek(); {
	case c == '/':
		s.at++
		if !s.delimited('/', true) {
			return false
		}
		s.skip("IM")
	case c == '\\':
		return false // a delimiter of its own
	default:
		s.skip("0123456789~$")
	}
	return true
}

// delimited takes text up to an unescaped delimiter. Inside brackets some seds look
// for it, and some do not, so it must not be there.
func (s *sedScript) delimited(delimiter byte, pattern bool) bool {
	brackets := false
	for s.at < len(s.text) {
		switch c := s.next(); {
		case c == '\\':
			if brackets {
				return false // an escape for some, a backslash for others
			}
			if s.next() == 0 {
				return false
			}
		case c == delimiter:
			return !brackets
		case c == '\n' && pattern:
			return false
		case c == '[' && pattern && !brackets:
			brackets = true
			s.skip("^")
			if s.peek() == ']' {
				s.at++
			}
		case c == '[' && brackets && (s.peek() == ':' || s.peek() == '.' || s.peek() == '='):
			end := strings.Index(s.text[s.at+1:], s.text[s.at:s.at+1]+"]")
			if end < 0 || strings.IndexByte(s.text[s.at:s.at+1+end], delimiter) >= 0 {
				return false
			}
			s.at += end + 3
		case c == ']' && brackets:
			brackets = false
		}
	}
	return false
}

// command takes one command and what ends it.
func (s *sedScript) command() bool {
	switch c := s.next(); c {
	case '{', '}':
		return true
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
	case 'q', 'Q', 'l', 'L':
		s.skip(" \t0123456789")
	case ':', 'b', 't', 'T':
		s.skip(" \t")
		for nameByte(s.peek()) && s.peek() < 0x80 {
			s.at++
		}
	case 's', 'y':
		if !s.substitution(c) {
			return false
		}
	default:
		return false
	}
	s.skip(" \t")
	switch s.peek() {
	case 0, ';', '\n', '}', '#':
		return s.peek() != '#'
	}
	return false
}

func (s *sedScript) substitution(command byte) bool {
	delimiter := s.next()
	if delimiter <= ' ' || delimiter >= 0x7f || delimiter == '\\' || delimiter == '[' || delimiter == ']' || nameByte(delimiter) {
		return false
	}
	if !s.delimited(delimiter, command == 's') || !s.delimited(delimiter, false) {
		return false
	}
	if command == 's' {
		s.skip("gpiIM0123456789")
	}
	return true
}
