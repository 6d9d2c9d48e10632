package redact

import (
	"bytes"
	"encoding/hex"
	"slices"
)

// Loose spellings are looked for without regard to case and to what programs put between the
// characters: the line breaks of base64, the blanks and colons of hexadecimal digits, the zeros of
// UTF-16.

// gap is the most characters between two characters of a credential.
const gap = 32

// The shortest loose spelling, and the longest credential that is looked for in this way, in bytes.
const (
	shortestLoose = 8
	longestLoose  = 8 << 10
)

// between are the characters that may stand between those of a loose spelling. A hexadecimal digit
// is none of them.
type between string

const (
	betweenText between = " \t\r\n\v\f\x00"
	betweenHex  between = betweenText + `:%,-\xX"'`
)

// squeezed is a text in lower case without the characters between, and where each of the rest
// stood. A gap that is too long is a zero, which is in no spelling.
type squeezed struct {
	kept [256]byte // each character as it is kept, or 0
	rest []byte
	at   []int32
}

func (b between) squeezed() *squeezed {
	s := &squeezed{}
	for c := range s.kept {
		s.kept[c] = byte(c)
		if 'A' <= c && c <= 'Z' {
			s.kept[c] = byte(c) + 'a' - 'A'
		}
	}
	for _, c := range []byte(b) {
		s.kept[c] = 0
	}
	return s
}

// of squeezes a text. It uses its memory again each time.
func (s *squeezed) of(text []byte) {
	if cap(s.rest) < len(text) {
		s.rest, s.at = make([]byte, len(text)), make([]int32, len(text))
	}
	rest, at := s.rest[:len(text)], s.at[:len(text)]
	n, run := 0, 0
	for i, c := range text {
		k := s.kept[c]
		if k != 0 {
			run = 0
		} else if run++; run != gap+1 {
			continue
		}
		rest[n], at[n] = k, int32(i)
		n++
	}
	s.rest, s.at = rest[:n], at[:n]
}

// looseness is the patterns with the same characters between.
type looseness struct {
	*squeezed
	patterns []pattern
	finder   *finder // of the patterns
}

// loosely returns the loose spellings of credentials.
func loosely(values []string) []looseness {
	text, digits := &looseness{squeezed: betweenText.squeezed()}, &looseness{squeezed: betweenHex.squeezed()}
	for _, value := range values {
		if len(value) < shortestLoose || len(value) > longestLoose {
			continue
		}
		for _, spelled := range append(base64s(value), value) {
			text.add(spelled)
		}
		digits.add(hex.EncodeToString([]byte(value)))
	}
	list := []looseness{}
	for _, l := range []*looseness{text, digits} {
		if len(l.patterns) > 0 {
			l.finder = newFinder(l.patterns)
			list = append(list, *l)
		}
	}
	return list
}

func (l *looseness) add(spelled string) {
	l.of([]byte(spelled))
	known := slices.ContainsFunc(l.patterns, func(p pattern) bool { return bytes.Equal(p.text, l.rest) })
	if len(l.rest) >= shortestLoose && !bytes.Contains(l.rest, []byte{0}) && !known {
		l.patterns = append(l.patterns, pattern{slices.Clone(l.rest), falls(string(l.rest))})
	}
}

// look looks at a text: where loose spellings are, and how many bytes at its end may be the
// beginning of one.
func (l *looseness) look(data []byte) (list []span, begun int) {
	l.of(data)
	for _, s := range l.finder.in(l.rest) {
		list = append(list, span{int(l.at[s.start]), int(l.at[s.end-1]) + 1})
	}
	for i := range l.patterns {
		if k := l.patterns[i].begun(l.rest); k > 0 {
			begun = max(begun, len(data)-int(l.at[len(l.rest)-k]))
		}
	}
	return list, begun
}
