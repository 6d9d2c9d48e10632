package config

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// builder creates nodes for the readers, and enforces the limits of all formats.
type builder struct {
	found   *problems
	decimal *regexp.Regexp
	values  int
	over    bool // a limit was reached; nothing more is read
}

func newBuilder(found *problems) *builder {
	return &builder{found: found, decimal: regexp.MustCompile(decimal)}
}

// enter says whether a value at this depth may be read. It adds a problem when a limit is
// first reached.
func (b *builder) enter(at place, path *trail, depth int) bool {
	b.values++
	message := ""
	switch {
	case b.over:
		return false
	case depth > MaxDepth:
		message = fmt.Sprintf("is nested more than %d levels deep", MaxDepth)
	case b.values > MaxValues:
		message = fmt.Sprintf("the file has more than %d values", MaxValues)
	default:
		return true
	}
	b.over = true
	b.found.add(at, path.String(), message, "", "split the configuration, or nest it less deeply")
	return false
}

// numeral returns a number, or nil after adding a problem.
func (b *builder) numeral(at place, path *trail, literal string) *node {
	value, ok := parseNumber(b.decimal, literal)
	if !ok {
		b.found.add(at, path.String(), fmt.Sprintf("%s is not a number that can be read exactly", shorten(literal)),
			"", "write a decimal number, or put it in quotes if it is a name")
		return nil
	}
	return &node{kind: number, place: at, number: value}
}

// put adds a field to a mapping. A key that is duplicate, too long, or special to other
// readers is a problem.
func (b *builder) put(to *node, seen map[string]place, f field, path *trail) {
	first, twice := seen[f.key]
	switch {
	case len(f.key) > MaxName:
		b.found.add(f.place, path.parent.String(), fmt.Sprintf("a key has %d bytes; the limit is %d", len(f.key), MaxName),
			"", "use a shorter name")
	case f.key == "__proto__":
		b.found.add(f.place, path.String(), "__proto__ is not allowed as a key: some readers treat it specially", "", "remove the key")
	case twice:
		b.found.add(f.place, path.String(), fmt.Sprintf("%q occurs twice; the first is in line %d", f.key, first.line),
			"", "remove one of the two")
	default:
		seen[f.key] = f.place
		if f.value != nil {
			to.fields = append(to.fields, f)
		}
	}
}

// shorten prepares text from the file for display.
func shorten(text string) string {
	const longest = 60
	if utf8.RuneCountInString(text) > longest {
		text = string([]rune(text)[:longest]) + "…"
	}
	return fmt.Sprintf("%q", text)
}

// cursor converts byte offsets into locations. It is fast for rising offsets.
type cursor struct {
	text   string
	offset int
	at     place
}

func newCursor(text string) *cursor { return &cursor{text: text, at: place{1, 1}} }

// place returns the location of the byte at an offset. Lines end with \n, \r\n or \r; columns
// count characters.
func (c *cursor) place(offset int) place {
	offset = max(0, min(offset, len(c.text)))
	if offset < c.offset {
		c.offset, c.at = 0, place{1, 1}
	}
	for c.offset < offset {
		r, size := utf8.DecodeRuneInString(c.text[c.offset:])
		c.offset += size
		switch {
		case r == '\n', r == '\r' && !strings.HasPrefix(c.text[c.offset:], "\n"):
			c.at = place{c.at.line + 1, 1}
		default:
			c.at.column++
		}
	}
	return c.at
}
