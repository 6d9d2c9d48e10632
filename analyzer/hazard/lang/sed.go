package lang

import (
	"strings"

	"gavel/analyzer/spelling"
)

// plainSed reports whether a sed script plainly neither runs programs nor opens files.
func plainSed(script string) bool { return Sed(script) == 0 }

// Sed says what a sed script does: e and the flag e of s run programs, w, W and
// the flag w write files, r and R read them. Addresses, comments, the text of a, i and
// c, and all other commands are harmless.
//
// The rules are those that GNU, BSD and busybox sed share: what one of them would
// read otherwise is not understood. Most of them take the delimiter of s inside
// brackets for a character, and some do not: then both readings count, but for one
// that every sed refuses.
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
	aware    bool // a delimiter in brackets is a character
	doubtful bool // there was one
	refused  bool // every sed refuses the script, and does nothing
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

// delimited takes text up to an unescaped delimiter, which inside brackets some seds
// take for a character.
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
				return false // in a class no sed reads it alike
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

// line takes what is left of a line, which must hold none of some bytes.
func (s *sedScript) line(without string) bool {
	end := strings.IndexByte(s.text[s.at:], '\n')
	if end < 0 {
		end = len(s.text) - s.at
	}
	rest := s.text[s.at : s.at+end]
	s.at += end
	return !strings.ContainsAny(rest, without)
}

// insertion takes the text of a, i or c: on the same line, or on the next one behind a
// backslash. A backslash in it could make it longer.
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

// flags takes those of s. The name of a file that w writes is the rest of the line.
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
