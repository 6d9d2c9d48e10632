package wrappers

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"gavel"
	"gavel/internal/nearest"
)

// maxProblems limits the work that a hostile file can cause.
const maxProblems = 200

// reader collects what is wrong with one file.
type reader struct {
	file     string
	catalog  Catalog
	problems []gavel.Problem
	warnings []gavel.Problem
}

func (r *reader) problem(at *yaml.Node, path, near, fix, format string, args ...any) {
	if len(r.problems) < maxProblems {
		r.problems = append(r.problems, r.at(at, path, near, fix, fmt.Sprintf(format, args...)))
	}
}

func (r *reader) warn(at *yaml.Node, path, fix, format string, args ...any) {
	if len(r.warnings) >= maxProblems {
		return
	}
	r.warnings = append(r.warnings, r.at(at, path, "", fix, fmt.Sprintf(format, args...)))
}

func (r *reader) at(at *yaml.Node, path, near, fix, message string) gavel.Problem {
	p := gavel.Problem{Path: path, File: r.file, Message: message, Nearest: near, Fix: fix}
	if at != nil {
		p.Line, p.Column = at.Line, at.Column
	}
	return p
}

// inOrder sorts problems as they are in the text.
func inOrder(list []gavel.Problem) []gavel.Problem {
	slices.SortStableFunc(list, func(a, b gavel.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// document returns the one document of a text.
func (r *reader) document(text []byte) *yaml.Node {
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var first, second yaml.Node
	if err := decoder.Decode(&first); errors.Is(err, io.EOF) {
		r.problem(nil, "", "", "write the section tools", "the file is empty")
		return nil
	} else if err != nil {
		r.problem(nil, "", "", "look at this line and the one before it", "the text is not YAML: %s", strings.TrimPrefix(err.Error(), "yaml: "))
		return nil
	}
	if err := decoder.Decode(&second); !errors.Is(err, io.EOF) {
		r.problem(&second, "", "", "keep one", "the file has several YAML documents")
		return nil
	}
	if len(first.Content) == 0 {
		r.problem(nil, "", "", "write the section tools", "the file is empty")
		return nil
	}
	r.plain(first.Content[0], 0)
	if len(r.problems) > 0 {
		return nil
	}
	return first.Content[0]
}

// plain refuses aliases, tags, merge keys and keys that occur twice, so that each line means what
// it says.
func (r *reader) plain(n *yaml.Node, depth int) {
	const deepest = 16
	switch {
	case depth > deepest:
		r.problem(n, "", "", "flatten it", "nested deeper than %d", deepest)
		return
	case n.Kind == yaml.AliasNode:
		r.problem(n, "", "", "write the value out", "the alias *%s is not supported", n.Value)
		return
	case n.Anchor != "":
		r.problem(n, "", "", "remove it", "the anchor &%s is not supported", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		r.problem(n, "", "", "remove it", "the tag %s is not supported", n.Tag)
	}
	seen := map[string]bool{}
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 {
			if seen[child.Value] || child.Value == "<<" {
				r.problem(child, child.Value, "", "write each key once", "the key %q occurs twice, or merges others", child.Value)
			}
			seen[child.Value] = true
		}
		r.plain(child, depth+1)
	}
}

// object is a mapping whose keys are read one by one.
type object struct {
	*reader
	path   string
	node   *yaml.Node
	values map[string]*yaml.Node
	keys   map[string]*yaml.Node
}

// object reads a mapping. With keys it is closed: any other key is a problem.
func (r *reader) object(n *yaml.Node, path string, keys ...string) object {
	o := object{reader: r, path: path, node: n, values: map[string]*yaml.Node{}, keys: map[string]*yaml.Node{}}
	if n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return o
	}
	if n.Kind != yaml.MappingNode {
		r.problem(n, path, "", "write it as keys with values", "it is not a map")
		return o
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if len(keys) > 0 && !slices.Contains(keys, key.Value) {
			near := nearest.Name(key.Value, keys)
			r.problem(key, o.in(key.Value), near, "use one of "+strings.Join(keys, ", "), "the key %q is unknown", key.Value)
			continue
		}
		o.keys[key.Value], o.values[key.Value] = key, value
	}
	return o
}

func (o object) in(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

func (o object) child(key string, keys ...string) object {
	return o.object(o.values[key], o.in(key), keys...)
}

func (o object) has(key string) bool { return o.values[key] != nil }

// sortedKeys are the keys of a map that is not closed.
func (o object) sortedKeys() []string { return slices.Sorted(maps.Keys(o.keys)) }

// text returns a text, or "" if it is not there.
func (o object) text(key string) string {
	n := o.values[key]
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		o.problem(n, o.in(key), "", "write a text, in quotes if it looks like something else", "it is not a text")
		return ""
	}
	return n.Value
}

func (o object) boolean(key string, otherwise bool) bool {
	n := o.values[key]
	if n == nil {
		return otherwise
	}
	if n.Kind == yaml.ScalarNode && n.Tag == "!!bool" {
		return strings.EqualFold(n.Value, "true")
	}
	o.problem(n, o.in(key), "", "write true or false", "it is neither true nor false")
	return otherwise
}

// duration returns a duration within bounds.
func (o object) duration(key string, otherwise, least time.Duration) time.Duration {
	n := o.values[key]
	if n == nil {
		return otherwise
	}
	d, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || d < least {
		o.problem(n, o.in(key), "", "write one such as 30s or 5m", "%q is not a duration of at least %s", n.Value, least)
		return otherwise
	}
	return d
}

func (o object) count(key string, otherwise int) int {
	n := o.values[key]
	if n == nil {
		return otherwise
	}
	number, err := strconv.Atoi(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || number <= 0 || number > 1<<20 {
		o.problem(n, o.in(key), "", "write a whole number", "%q is not a number from 1 to %d", n.Value, 1<<20)
		return otherwise
	}
	return number
}

// size returns a number of bytes: an integer, with k, m or g behind it, of 1024.
func (o object) size(key string, otherwise, least int64) int64 {
	n := o.values[key]
	if n == nil {
		return otherwise
	}
	text := strings.ToLower(n.Value)
	digits := strings.TrimRight(text, " kmgb")
	factor, known := map[string]int64{"": 1, "b": 1, "k": 1 << 10, "kb": 1 << 10, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30}[strings.TrimLeft(text[len(digits):], " ")]
	number, err := strconv.ParseInt(digits, 10, 32)
	if n.Kind != yaml.ScalarNode || err != nil || !known || number*factor < least {
		o.problem(n, o.in(key), "", "write one such as 65536, 512k or 10mb", "%q is not a number of bytes, at least %d", n.Value, least)
		return otherwise
	}
	return number * factor
}

// list returns the elements of a list.
func (o object) list(key string) []*yaml.Node {
	n := o.values[key]
	if n == nil || n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		o.problem(n, o.in(key), "", "write it as a list", "it is not a list")
		return nil
	}
	return n.Content
}

func (o object) texts(key string) (list []string) {
	list = []string{}
	for i, item := range o.list(key) {
		if item.Kind != yaml.ScalarNode || item.Value == "" {
			o.problem(item, fmt.Sprintf("%s[%d]", o.in(key), i), "", "write a text", "it is not a text, or empty")
			continue
		}
		list = append(list, item.Value)
	}
	return list
}

// path returns an absolute path.
func (o object) absolute(key, otherwise string) string {
	text := o.text(key)
	if text == "" {
		return otherwise
	}
	if !absolute(text) {
		o.problem(o.values[key], o.in(key), "", "write a path that begins with /, without . and ..", "%q is not an absolute path", text)
		return otherwise
	}
	return text
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
