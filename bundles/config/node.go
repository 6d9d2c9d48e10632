package config

import (
	"encoding/json"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// location is a line and a column in a text. Both count from 1, and columns count characters. The
// zero location is unknown.
type location struct{ line, column int }

// nodeKind is the kind of value of a node.
type nodeKind uint8

const (
	null nodeKind = iota
	boolean
	number
	text
	list
	mapping
)

// node is a value with its location. All formats are read into nodes.
type node struct {
	kind     nodeKind
	location location
	truth    bool        // of a boolean
	text     string      // of a text
	number   json.Number // of a number
	items    []*node     // of a list
	fields   []field     // of a mapping; keys are unique
}

// field is a key of a mapping with its value.
type field struct {
	key      string
	location location // of the key
	value    *node
}

// get returns the field with a key, or nil.
func (n *node) get(key string) *field {
	if n == nil || n.kind != mapping {
		return nil
	}
	for i := range n.fields {
		if n.fields[i].key == key {
			return &n.fields[i]
		}
	}
	return nil
}

// child returns the value of a key if it is a mapping, and nil otherwise.
func (n *node) child(key string) *node {
	if f := n.get(key); f != nil && f.value.kind == mapping {
		return f.value
	}
	return nil
}

// remove drops the field with a key.
func (n *node) remove(key string) {
	kept := n.fields[:0]
	for _, f := range n.fields {
		if f.key != key {
			kept = append(kept, f)
		}
	}
	n.fields = kept
}

// data returns the value in JSON types.
func (n *node) data() any {
	switch n.kind {
	case boolean:
		return n.truth
	case number:
		return n.number
	case text:
		return n.text
	case list:
		items := make([]any, len(n.items))
		for i, item := range n.items {
			items[i] = item.data()
		}
		return items
	case mapping:
		fields := make(map[string]any, len(n.fields))
		for _, f := range n.fields {
			fields[f.key] = f.value.data()
		}
		return fields
	default:
		return nil
	}
}

// describe names the kind of a value in words. Strings are not shown, because a value in the
// wrong location may be a secret.
func (n *node) describe() string {
	return [...]string{null: "empty", boolean: "true or false", number: "the number " + n.number.String(), text: "a string",
		list: "a list", mapping: "a map"}[n.kind]
}

// find returns the location of the key or list item at a path below n. Keys may contain dots and
// brackets, so it tries every key that matches. It visits no node twice.
func (n *node) find(path string) (location, bool) {
	switch n.kind {
	case list:
		inner, ok := strings.CutPrefix(path, "[")
		digits, rest, closed := strings.Cut(inner, "]")
		index, err := strconv.Atoi(digits)
		if !ok || !closed || err != nil || index < 0 || index >= len(n.items) || strconv.Itoa(index) != digits {
			return location{}, false
		}
		return n.items[index].findRest(rest, n.items[index].location)
	case mapping:
		for _, f := range n.fields {
			if rest, ok := strings.CutPrefix(path, f.key); ok {
				if problems, ok := f.value.findRest(rest, f.location); ok {
					return problems, true
				}
			}
		}
	}
	return location{}, false
}

func (n *node) findRest(rest string, here location) (location, bool) {
	if rest == "" {
		return here, true
	}
	if n.kind == mapping {
		inner, ok := strings.CutPrefix(rest, ".")
		if !ok {
			return location{}, false
		}
		rest = inner
	}
	return n.find(rest)
}

// keyPath is a path that is formatted only when it is needed.
type keyPath struct {
	parent *keyPath
	key    string
	index  int // of a list item
	isItem bool
}

func (t *keyPath) field(key string) *keyPath { return &keyPath{parent: t, key: key} }
func (t *keyPath) item(index int) *keyPath   { return &keyPath{parent: t, index: index, isItem: true} }

// String returns the path as for [Document.Locate]. The root is "".
func (t *keyPath) String() string {
	switch {
	case t == nil:
		return ""
	case t.isItem:
		return t.parent.String() + "[" + strconv.Itoa(t.index) + "]"
	default:
		return join(t.parent.String(), t.key)
	}
}

// join returns the path of a key below a path.
func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// decimal matches numbers of JSON, and those of JSON5 that lack only the digits before or after the
// point.
const decimal = `^[+-]?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?$`

// parseNumber converts a decimal number into its canonical form, so that 1.0 and 1 are equal.
// It refuses whole numbers that a float64 cannot hold, and anything that is not a plain
// decimal.
func parseNumber(form *regexp.Regexp, literal string) (json.Number, bool) {
	const longest = 64
	if len(literal) > longest || !form.MatchString(literal) {
		return "", false
	}
	if whole, err := strconv.ParseInt(literal, 10, 64); err == nil {
		return json.Number(strconv.FormatInt(whole, 10)), true
	}
	value, err := strconv.ParseFloat(literal, 64)
	if err != nil || (!strings.ContainsAny(literal, ".eE") && math.Abs(value) >= 1<<63) {
		return "", false
	}
	format := byte('f')
	if magnitude := math.Abs(value); magnitude != 0 && (magnitude < 1e-6 || magnitude >= 1e15) {
		format = 'e'
	}
	return json.Number(strconv.FormatFloat(value+0, format, -1, 64)), true
}
