package config

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// source is a text to be edited.
type source struct {
	text       string
	lines      []int // offsets at which lines begin
	json       bool  // JSON or JSON5, where every list and map is in brackets
	lineEnding string
}

// splice replaces text[at:end].
type splice struct {
	at, end int
	text    string
}

func newSource(file, text string) *source {
	extension := strings.ToLower(filepath.Ext(file))
	s := &source{text: text, lines: []int{0}, lineEnding: "\n", json: extension == ".json" || extension == ".json5"}
	for i := range len(text) {
		if text[i] == '\n' {
			s.lines = append(s.lines, i+1)
		}
	}
	if strings.Contains(text, "\r\n") {
		s.lineEnding = "\r\n"
	}
	return s
}

// offset converts a location to a byte offset.
func (s *source) offset(p location) int {
	if p.line < 1 || p.line > len(s.lines) {
		return len(s.text)
	}
	at := s.lines[p.line-1]
	for range p.column - 1 {
		_, size := utf8.DecodeRuneInString(s.text[at:])
		at += size
	}
	return min(at, len(s.text))
}

// line returns a line without its ending. Lines count from 1.
func (s *source) line(n int) string {
	text := s.text[s.lines[n-1]:]
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// inBrackets reports whether a list or mapping is written in brackets.
func (s *source) inBrackets(n *node) bool {
	at := s.offset(n.location)
	return (n.kind == list || n.kind == mapping) && at < len(s.text) && (s.text[at] == '[' || s.text[at] == '{')
}

// newSplice returns the replacement that makes an edit.
func (t target) newSplice(s *source, edit Edit) (splice, error) {
	n := t.node
	exists := len(t.missing) == 0
	switch {
	case n.kind == null && t.key != nil && !s.json:
		return s.fillEmptyKey(t, edit)
	case exists && edit.Op == Add && n.kind == list && s.inBrackets(n):
		value, err := s.marshalFlow(edit.Value)
		return s.insertInBrackets(n, value), err
	case exists && edit.Op == Add && n.kind == list && !s.json:
		value, err := s.marshalFlow(edit.Value)
		return s.insertBelow(n, n.location.column-1, "- "+value), err
	case exists && edit.Op == Set && n.kind != list && n.kind != mapping && n.kind != null:
		value, err := s.marshalFlow(edit.Value)
		at := s.offset(n.location)
		return splice{at, s.scalarEnd(at), value}, err
	case !exists && n.kind == mapping && s.inBrackets(n):
		pair, err := s.flowPair(t.missing, edit)
		return s.insertInBrackets(n, pair), err
	case !exists && n.kind == mapping && !s.json:
		text, err := s.blockLines(t.missing, edit, n.location.column-1)
		return s.insertBelow(n, n.location.column-1, text), err
	}
	return splice{}, errLayout
}

// fillEmptyKey adds a value to a key without one.
func (s *source) fillEmptyKey(t target, edit Edit) (splice, error) {
	keys := append([]string{t.key.key}, t.missing...)
	column := t.key.location.column - 1
	text, err := s.blockLines(keys, edit, column)
	if err != nil {
		return splice{}, err
	}
	_, rest, _ := strings.Cut(text, s.lineEnding)
	if len(t.missing) == 0 && edit.Op == Set {
		return splice{}, errLayout
	}
	at := s.lineEnd(t.key.location.line)
	return splice{at, at, s.lineEnding + rest}, nil
}

// flowPair writes keys and a value in flow style: a: {b: [value]}.
func (s *source) flowPair(keys []string, edit Edit) (string, error) {
	value := edit.Value
	if edit.Op == Add {
		value = []any{value}
	}
	for _, key := range slices.Backward(keys[1:]) {
		value = map[string]any{key: value}
	}
	inner, err := s.marshalFlow(value)
	if err != nil {
		return "", err
	}
	name, err := s.marshalFlow(keys[0])
	return name + ": " + inner, err
}

// blockLines writes each key on a line of its own, and then the value. The first line is not
// indented.
func (s *source) blockLines(keys []string, edit Edit, column int) (string, error) {
	value, err := s.marshalFlow(edit.Value)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for i, key := range keys {
		name, err := s.marshalFlow(key)
		if err != nil {
			return "", err
		}
		if i > 0 {
			text.WriteString(s.lineEnding + strings.Repeat(" ", column+2*i))
		}
		text.WriteString(name + ":")
	}
	if edit.Op == Add {
		text.WriteString(s.lineEnding + strings.Repeat(" ", column+2*len(keys)) + "- " + value)
	} else {
		text.WriteString(" " + value)
	}
	return text.String(), nil
}

// insertBelow inserts lines after a list or mapping in block style.
func (s *source) insertBelow(n *node, column int, text string) splice {
	at := s.lineEnd(s.lastLine(n, column))
	return splice{at, at, s.lineEnding + strings.Repeat(" ", column) + text}
}

// lastLine returns the last line of a list or mapping whose elements begin at a column.
func (s *source) lastLine(n *node, column int) int {
	last := n.lastStart()
	for line := last + 1; line <= len(s.lines); line++ {
		text := s.line(line)
		inner := strings.TrimLeft(text, " ")
		if inner == "" || inner[0] == '#' {
			continue
		}
		if len(text)-len(inner) <= column {
			break
		}
		last = line
	}
	return last
}

// lastStart returns the last line on which anything below a node begins.
func (n *node) lastStart() int {
	last := n.location.line
	for _, item := range n.items {
		last = max(last, item.lastStart())
	}
	for _, f := range n.fields {
		last = max(last, f.location.line, f.value.lastStart())
	}
	return last
}

func (s *source) lineEnd(n int) int { return s.lines[n-1] + len(s.line(n)) }

// insertInBrackets inserts an element before the closing bracket of a list or mapping.
func (s *source) insertInBrackets(n *node, element string) splice {
	open := s.offset(n.location)
	last, closing := s.matchBracket(open)
	before := strings.TrimRight(s.text[:last], " ")
	switch {
	case strings.ContainsRune(s.text[last:closing], '\n'):
		line := s.lines[s.lineAt(last-1)-1]
		indent := s.text[line : line+len(s.text[line:])-len(strings.TrimLeft(s.text[line:], " \t"))]
		if last == open+1 {
			indent += "  "
		} else if !strings.HasSuffix(before, ",") {
			return splice{last, last, "," + s.lineEnding + indent + element}
		}
		return splice{last, last, s.lineEnding + indent + element}
	case last == open+1:
		return splice{last, closing, element}
	case strings.HasSuffix(before, ","):
		return splice{last, last, " " + element}
	}
	return splice{last, last, ", " + element}
}

func (s *source) lineAt(offset int) int {
	line, _ := slices.BinarySearch(s.lines, offset+1)
	return line
}

// matchBracket returns the offset of the bracket that closes the one at open, and the end of the
// last element before it. It skips quoted strings and comments.
func (s *source) matchBracket(open int) (last, closing int) {
	depth, text := 0, s.text
	last = open + 1
	for i := open; i < len(text); {
		c := text[i]
		switch {
		case s.commentEnd(i) > i:
			i = s.commentEnd(i)
			continue
		case (c == '"' || c == '\'') && strings.ContainsRune("[{,:", rune(lastNonBlank(text[:i]))):
			i = s.quotedEnd(i)
			last = i
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return last, i
			}
		}
		i++
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' {
			last = i
		}
	}
	return last, len(text)
}

// commentEnd returns the end of the comment at an offset, or the offset if there is no comment.
func (s *source) commentEnd(i int) int {
	rest := s.text[i:]
	line := len(rest)
	if end := strings.IndexByte(rest, '\n'); end >= 0 {
		line = end
	}
	switch {
	case !s.json && rest[0] == '#' && (i == 0 || strings.ContainsRune(" \t\n", rune(s.text[i-1]))), s.json && strings.HasPrefix(rest, "//"):
		return i + line
	case s.json && strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest, "*/"); end >= 0 {
			return i + end + 2
		}
	}
	return i
}

// quotedEnd returns the end of the quoted string at an offset.
func (s *source) quotedEnd(i int) int {
	quote := s.text[i]
	for j := i + 1; j < len(s.text); j++ {
		switch {
		case s.text[j] == '\\' && (quote == '"' || s.json):
			j++
		case s.text[j] == quote && quote == '\'' && !s.json && strings.HasPrefix(s.text[j+1:], "'"):
			j++
		case s.text[j] == quote:
			return j + 1
		}
	}
	return len(s.text)
}

// lastNonBlank returns the last byte that is not white space, or 0.
func lastNonBlank(text string) byte {
	text = strings.TrimRight(text, " \t\r\n")
	if text == "" {
		return 0
	}
	return text[len(text)-1]
}

// scalarEnd returns the end of the scalar at an offset, on the same line.
func (s *source) scalarEnd(at int) int {
	if at < len(s.text) && (s.text[at] == '"' || s.text[at] == '\'') {
		return s.quotedEnd(at)
	}
	end := at
	for i := at; i < len(s.text) && !strings.ContainsRune("\r\n,]}", rune(s.text[i])) && s.commentEnd(i) == i; i++ {
		if s.text[i] != ' ' {
			end = i + 1
		}
	}
	return end
}
