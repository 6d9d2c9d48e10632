package config

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// tokenClass is a class of JSON5 tokens that the scanner distinguishes.
type tokenClass uint8

const (
	start     tokenClass = iota
	opening              // { [
	closing              // } ]
	separator            // , :
	sign                 // + -
	literal              // a string, number or word
)

// scanner checks a text before the ECMAScript parser sees it. It accepts brackets, commas, colons,
// signs, strings, words and comments, limits the nesting, and requires a separator between values.
// So the parser gets no operator, call, template, regular expression or statement, and does not
// recurse deeply.
type scanner struct {
	text     string
	at       int
	previous tokenClass
	open     []int // offsets of the brackets that are open
}

// syntaxError is an error in the text, and its location.
type syntaxError struct {
	offset  int
	message string
	fix     string
}

// scan returns the first syntax error of a text, or nil.
func scan(text string) *syntaxError {
	s := &scanner{text: text}
	for {
		if err := s.skip(); err != nil {
			return err
		}
		if s.at >= len(s.text) {
			return s.end()
		}
		if err := s.token(); err != nil {
			return err
		}
	}
}

func (s *scanner) end() *syntaxError {
	if len(s.open) > 0 {
		at := s.open[len(s.open)-1]
		return &syntaxError{at, fmt.Sprintf("this %c is never closed", s.text[at]), "add the closing bracket"}
	}
	if s.previous == start {
		return &syntaxError{0, "the file is empty", "write {} for an empty configuration"}
	}
	return nil
}

// skip moves over white space and comments.
func (s *scanner) skip() *syntaxError {
	for s.at < len(s.text) {
		rest := s.text[s.at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case strings.HasPrefix(rest, "//"):
			if end := strings.IndexAny(rest, "\n\r\u2028\u2029"); end >= 0 {
				s.at += end
			} else {
				s.at = len(s.text)
			}
		case strings.HasPrefix(rest, "/*"):
			end := strings.Index(rest[2:], "*/")
			if end < 0 {
				return &syntaxError{s.at, "this comment is never closed", "add */"}
			}
			s.at += 2 + end + 2
		case strings.ContainsRune("\t\n\v\f\r\u2028\u2029\ufeff", r), unicode.Is(unicode.Zs, r):
			s.at += size
		default:
			return nil
		}
	}
	return nil
}

// token moves over one token.
func (s *scanner) token() *syntaxError {
	switch c := s.text[s.at]; c {
	case '{', '[':
		return s.enter()
	case '}', ']':
		return s.leave(c)
	case ',', ':':
		if len(s.open) == 0 || s.previous == sign {
			return s.unexpected(string(c))
		}
		s.previous = separator
		s.at++
	case '+', '-':
		if s.previous == literal || s.previous == closing || s.previous == sign {
			return s.unexpected(string(c))
		}
		s.previous = sign
		s.at++
	case '"', '\'':
		if err := s.value("a string"); err != nil {
			return err
		}
		return s.quoted(c)
	default:
		r, _ := utf8.DecodeRuneInString(s.text[s.at:])
		if !inWord(r) {
			return s.unexpected(string(r))
		}
		if err := s.value("a value"); err != nil {
			return err
		}
		s.word()
	}
	return nil
}

func (s *scanner) enter() *syntaxError {
	if err := s.value("a bracket"); err != nil {
		return err
	}
	if s.open = append(s.open, s.at); len(s.open) > MaxDepth {
		return &syntaxError{s.at, fmt.Sprintf("is nested more than %d levels deep", MaxDepth), "nest the configuration less deeply"}
	}
	s.previous = opening
	s.at++
	return nil
}

func (s *scanner) leave(c byte) *syntaxError {
	if len(s.open) == 0 || s.previous == sign {
		return s.unexpected(string(c))
	}
	if opener := s.text[s.open[len(s.open)-1]]; (opener == '{') != (c == '}') {
		return &syntaxError{s.at, fmt.Sprintf("%c does not match the open %c", c, opener), "use the matching bracket"}
	}
	s.open = s.open[:len(s.open)-1]
	s.previous = closing
	s.at++
	return nil
}

// value returns an error if no value or key may follow the previous token.
func (s *scanner) value(what string) *syntaxError {
	signed := s.previous == sign && what != "a value"
	if s.previous == literal || s.previous == closing || signed {
		return &syntaxError{s.at, "expected a comma, a colon or a closing bracket, not " + what, "add what is missing before it"}
	}
	s.previous = literal
	return nil
}

// quoted moves over a string. It accepts only the escapes of JSON5.
func (s *scanner) quoted(quote byte) *syntaxError {
	begin := s.at
	for s.at++; s.at < len(s.text); s.at++ {
		switch c := s.text[s.at]; c {
		case quote:
			s.at++
			return nil
		case '\n', '\r':
			return &syntaxError{begin, "this string does not end on its line", "close the quote, or write \\n"}
		case '\\':
			s.at++
			rest := s.text[s.at:]
			octal := len(rest) > 0 && (rest[0] >= '1' && rest[0] <= '9' ||
				rest[0] == '0' && len(rest) > 1 && rest[1] >= '0' && rest[1] <= '9')
			if octal || strings.HasPrefix(rest, "u{") {
				return &syntaxError{s.at - 1, "JSON5 has no such escape", "write \\u and four hexadecimal digits"}
			}
			if strings.HasPrefix(rest, "\r\n") {
				s.at++
			}
		}
	}
	return &syntaxError{begin, "this string is never closed", "close the quote"}
}

// word moves over a number, a literal or a key without quotes. The sign of an
// exponent belongs to the number.
func (s *scanner) word() {
	begin := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		exponent := (r == '+' || r == '-') && s.at > begin && (s.text[s.at-1]|0x20) == 'e' &&
			strings.IndexByte("0123456789.", s.text[begin]) >= 0
		if !inWord(r) && !exponent {
			return
		}
		s.at += size
	}
}

func inWord(r rune) bool {
	return r == '_' || r == '$' || r == '.' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func (s *scanner) unexpected(what string) *syntaxError {
	return &syntaxError{s.at, fmt.Sprintf("%q is not allowed here: a configuration contains only values", what),
		"use maps, lists, strings, numbers, true, false and null"}
}
