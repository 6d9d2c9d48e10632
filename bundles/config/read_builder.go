package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// builder creates nodes for the readers of all formats, and enforces the limits.
type builder struct {
	problems *problemList
	decimal  *regexp.Regexp
	values   int
	full     bool // a limit was reached; nothing more is read
}

func newBuilder(problems *problemList) *builder {
	return &builder{problems: problems, decimal: regexp.MustCompile(decimal)}
}

// enter reports whether another value may be read. It adds a problem when a limit is first
// exceeded.
func (b *builder) enter(at location, path *keyPath, depth int) bool {
	b.values++
	message := ""
	switch {
	case b.full:
		return false
	case depth > MaxDepth:
		message = fmt.Sprintf("is nested more than %d levels deep", MaxDepth)
	case b.values > MaxValues:
		message = fmt.Sprintf("the file has more than %d values", MaxValues)
	default:
		return true
	}
	b.full = true
	b.problems.add(at, path.String(), message, "", "split the configuration, or nest it less deeply")
	return false
}

// number returns a node for a number, or nil after adding a problem.
func (b *builder) number(at location, path *keyPath, literal string) *node {
	value, ok := parseNumber(b.decimal, literal)
	if !ok {
		b.problems.add(at, path.String(), fmt.Sprintf("%s is not a number that can be read exactly", quote(literal)),
			"", "write a decimal number, or put it in quotes if it is a name")
		return nil
	}
	return &node{kind: number, location: at, number: value}
}

// addField adds a field to a mapping. A key that is a duplicate, is too long, or is special to
// other readers is a problem.
func (b *builder) addField(to *node, seen map[string]location, f field, path *keyPath) {
	first, duplicate := seen[f.key]
	switch {
	case len(f.key) > MaxName:
		b.problems.add(f.location, path.parent.String(), fmt.Sprintf("a key has %d bytes; the limit is %d", len(f.key), MaxName),
			"", "use a shorter name")
	case f.key == "__proto__":
		b.problems.add(f.location, path.String(), "__proto__ is not allowed as a key: some readers treat it specially", "", "remove the key")
	case duplicate:
		b.problems.add(f.location, path.String(), fmt.Sprintf("%q occurs twice; the first is on line %d", f.key, first.line),
			"", "remove one of the two")
	default:
		seen[f.key] = f.location
		if f.value != nil {
			to.fields = append(to.fields, f)
		}
	}
}

// quote quotes text from the file for a message. It shortens long text.
func quote(text string) string {
	const longest = 60
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// cursor converts byte offsets into locations. It is fast if each offset is larger than the last.
type cursor struct {
	text   string
	offset int
	at     location
}

func newCursor(text string) *cursor { return &cursor{text: text, at: location{1, 1}} }

// locate returns the location of the byte at an offset. Lines end with \n, \r\n or \r; columns
// count characters.
func (c *cursor) locate(offset int) location {
	offset = max(0, min(offset, len(c.text)))
	if offset < c.offset {
		c.offset, c.at = 0, location{1, 1}
	}
	for c.offset < offset {
		r, size := utf8.DecodeRuneInString(c.text[c.offset:])
		c.offset += size
		switch {
		case r == '\n', r == '\r' && !strings.HasPrefix(c.text[c.offset:], "\n"):
			c.at = location{c.at.line + 1, 1}
		default:
			c.at.column++
		}
	}
	return c.at
}
