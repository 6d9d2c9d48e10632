package lang

import (
	"strings"

	"gavel/analyzer/spelling"
)

// plainSed reports whether a sed script plainly runs no program and opens no file.
func plainSed(script string) bool { return Sed(script) == 0 }

// Sed returns the effects of a sed script: e and the flag e of s run programs, w, W and the flag
// w write files, r and R read them. Addresses, comments, the text of a, i and c, and all other
// commands are harmless.
//
// It accepts only what GNU, BSD and busybox sed read alike; anything else is not understood. Most
// of them read the delimiter of s inside brackets as a character, and some do not. In that case
// both readings count, except one that every sed refuses.
func Sed(script string) Effects {
	s := &sedScript{cursor: cursor{text: script}, aware: true}
	effects := s.read()
	if s.doubtful {
		other := &sedScript{cursor: cursor{text: script}}
		if second := other.read(); !other.refused {
			effects |= second
		}
	}
	return effects
}

type sedScript struct {
	cursor
	aware    bool // a delimiter inside brackets is a character
	doubtful bool // there was such a delimiter
	refused  bool // every sed refuses the script and does nothing
	effects  Effects
}

func (s *sedScript) read() Effects {
	for s.at < len(s.text) {
		s.skip(" \t\n;")
		if s.at == len(s.text) {
			break
		}
		if !s.addresses() || !s.command() {
			return s.effects | Unread
		}
	}
	return s.effects
}

// cursor is a position in a text.
type cursor struct {
	text string
	at   int
}

// skip skips all bytes of a set.
func (c *cursor) skip(set string) {
	for c.at < len(c.text) && strings.IndexByte(set, c.text[c.at]) >= 0 {
		c.at++
	}
}

// next reads one byte, or 0 at the end.
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

// addresses reads up to two addresses and the ! after them.
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
		return false // a custom delimiter
	default:
		s.skip("0123456789~$")
	}
	return true
}

// delimited reads text up to an unescaped delimiter. Inside brackets, some seds read the
// delimiter as a character.
func (s *sedScript) delimited(delimiter byte, pattern bool) bool {
	brackets := false
	for s.at < len(s.text) {
		switch c := s.next(); {
		case c == '\\':
			if brackets {
				return false // an escape to some seds, a backslash to others
			}
			if s.next() == 0 {
				return false
			}
		case c == delimiter && brackets:
			s.doubtful = true
			if !s.aware {
				return true
			}
		case c == delimiter:
			return true
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
			if end < 0 {
				return false
			}
			if strings.IndexByte(s.text[s.at:s.at+1+end], delimiter) >= 0 {
				return false // inside a class, seds disagree
			}
			s.at += end + 3
		case c == ']' && brackets:
			brackets = false
		}
	}
	return false
}

// command reads one command and what ends it.
func (s *sedScript) command() bool {
	switch c := s.next(); c {
	case '{', '}':
		return true
	case '#':
		return s.line("\\")
	case 'a', 'i', 'c':
		return s.insertion()
	case 'w', 'W':
		s.effects |= Writes
		return s.line("")
	case 'r', 'R':
		s.effects |= Reads
		return s.line("")
	case 'e':
		s.effects |= Runs
		return s.line("")
	case '=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z':
	case 'q', 'Q', 'l', 'L':
		s.skip(" \t0123456789")
	case ':', 'b', 't', 'T':
		s.skip(" \t")
		for spelling.NameByte(s.peek()) && s.peek() < 0x80 {
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
		return true
	}
	return false
}

// line reads the rest of a line, which must not contain certain bytes.
func (s *sedScript) line(without string) bool {
	end := strings.IndexByte(s.text[s.at:], '\n')
	if end < 0 {
		end = len(s.text) - s.at
	}
	rest := s.text[s.at : s.at+end]
	s.at += end
	return !strings.ContainsAny(rest, without)
}

// insertion reads the text of a, i or c: on the same line, or on the next line after a backslash.
// A backslash in the text could extend it.
func (s *sedScript) insertion() bool {
	s.skip(" \t")
	if s.peek() == '\\' {
		s.at++
		s.skip(" \t")
		if s.peek() == '\n' {
			s.at++
		}
	}
	return s.peek() != 0 && s.peek() != '\n' && s.line("\\")
}

func (s *sedScript) substitution(command byte) bool {
	delimiter := s.next()
	if delimiter <= ' ' || delimiter >= 0x7f || delimiter == '\\' || delimiter == '[' || delimiter == ']' || spelling.NameByte(delimiter) {
		return false
	}
	if !s.delimited(delimiter, command == 's') || !s.delimited(delimiter, false) {
		return false
	}
	if command == 's' {
		s.flags()
	}
	return true
}

// flags reads the flags of s. The file name of w is the rest of the line.
func (s *sedScript) flags() {
	for s.at < len(s.text) {
		switch c := s.peek(); c {
		case 'e':
			s.effects |= Runs
			s.at++
		case 'w':
			s.effects |= Writes
			s.line("")
			return
		case 'g', 'p', 'i', 'I', 'm', 'M', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			s.at++
		default:
			s.refused = strings.IndexByte(" \t\n;}#", c) < 0
			return
		}
	}
}
