package hostconfig

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// document is a settings file in JSON, with comments and commas as people write them. What is
// not changed keeps its bytes.
type document struct {
	root   hujson.Value
	indent string // of one level
	crlf   bool   // every line ends as on Windows
}

// parse reads a file; no text is an empty object.
func parse(text []byte) (*document, error) {
	if bytes.HasPrefix(text, []byte("\ufeff")) {
		return nil, errors.New("it begins with a byte order mark, which not every program reads: save it as UTF-8 without one")
	}
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8 text")
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
	}
	object, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("it is not a JSON object")
	}
	breaks := bytes.Count(text, []byte("\n"))
	d := &document{root: root, indent: "  ", crlf: breaks > 0 && bytes.Count(text, []byte("\r\n")) == breaks}
	if len(object.Members) > 0 {
		if before := lastLine(object.Members[0].Name.BeforeExtra); before != "" {
			d.indent = before
		}
	}
	return d, nil
}

// lastLine is the whitespace after the last line break; "" if there is no line break.
func lastLine(extra hujson.Extra) string {
	i := bytes.LastIndexByte(extra, '\n')
	if i < 0 || strings.Trim(string(extra[i+1:]), " \t") != "" {
		return ""
	}
	return string(extra[i+1:])
}

// text returns the document. New lines end as the others do.
func (d *document) text() []byte {
	text := d.root.Pack()
	if d.crlf {
		text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	}
	return text
}

// get returns the value at a path of member names, such as hooks.PreToolUse.
func (d *document) get(path string) (any, bool) {
	value, _ := d.find(path)
	if value == nil {
		return nil, false
	}
	return plain(*value)
}

func (d *document) find(path string) (*hujson.Value, bool) {
	at := &d.root
	for name := range strings.SplitSeq(path, ".") {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, false
		}
		if at = member(object, name); at == nil {
			return nil, true
		}
	}
	return at, true
}

// member returns a member's value. Of two with one name, the last counts, as for hosts.
func member(object *hujson.Object, name string) *hujson.Value {
	for i := range slices.Backward(object.Members) {
		if literal, ok := object.Members[i].Name.Value.(hujson.Literal); ok && literal.String() == name {
			return &object.Members[i].Value
		}
	}
	return nil
}

// plain is a value as encoding/json reads it.
func plain(v hujson.Value) (any, bool) {
	v = v.Clone()
	v.Standardize()
	var value any
	err := json.Unmarshal(v.Pack(), &value)
	return value, err == nil
}

// make returns the value at a path, and creates objects, and an empty value, on the way.
func (d *document) make(path string, empty hujson.ValueTrimmed) (*hujson.Value, error) {
	at := &d.root
	names := strings.Split(path, ".")
	for depth, name := range names {
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return nil, fmt.Errorf("%s is not an object", strings.Join(names[:depth], "."))
		}
		next := member(object, name)
		if next == nil {
			var value hujson.ValueTrimmed = &hujson.Object{}
			if depth == len(names)-1 {
				value = empty
			}
			object.Members = append(object.Members, hujson.ObjectMember{
				Name:  hujson.Value{BeforeExtra: d.before(&object.AfterExtra, depth), Value: hujson.String(name)},
				Value: hujson.Value{BeforeExtra: hujson.Extra(" "), Value: value},
			})
			next = &object.Members[len(object.Members)-1].Value
		}
		at = next
	}
	return at, nil
}

// line is a line break with the indentation of a depth.
func (d *document) line(depth int) hujson.Extra {
	return hujson.Extra("\n" + strings.Repeat(d.indent, depth))
}

// before is the text before a new last element. A comment at the end is about the text
// there, and stays before the new element.
func (d *document) before(after *hujson.Extra, depth int) hujson.Extra {
	comment := bytes.TrimRight(*after, " \t\r\n")
	*after = d.line(depth)
	return append(slices.Clone(comment), d.line(depth+1)...)
}

// set gives a member a value. It reports whether that changed anything.
func (d *document) set(path string, value any) (bool, error) {
	if have, there := d.get(path); there && same(have, value) {
		return false, nil
	}
	at, err := d.make(path, hujson.Bool(false))
	if err != nil {
		return false, err
	}
	made, err := d.value(value, strings.Count(path, ".")+1)
	if err != nil {
		return false, err
	}
	at.Value = made
	return true, nil
}

// add appends an element to the list at a path.
func (d *document) add(path string, item any) error {
	at, err := d.make(path, &hujson.Array{})
	if err != nil {
		return err
	}
	list, ok := at.Value.(*hujson.Array)
	if !ok {
		return fmt.Errorf("%s is not a list", path)
	}
	depth := strings.Count(path, ".") + 1
	value, err := d.value(item, depth+1)
	if err != nil {
		return err
	}
	list.Elements = append(list.Elements, hujson.Value{BeforeExtra: d.before(&list.AfterExtra, depth), Value: value})
	return nil
}

// value writes a new value, indented for its depth.
func (d *document) value(value any, depth int) (hujson.ValueTrimmed, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent(strings.Repeat(d.indent, depth), d.indent)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	parsed, err := hujson.Parse(text.Bytes())
	return parsed.Value, err
}

// drop removes the elements of the list at a path that are chosen. Lists and objects that
// are empty then go, too. It reports how many were removed.
func (d *document) drop(path string, chosen func(any) bool) int {
	at, _ := d.find(path)
	if at == nil {
		return 0
	}
	list, ok := at.Value.(*hujson.Array)
	if !ok {
		return 0
	}
	dropped := 0
	for i := 0; i < len(list.Elements); {
		value, ok := plain(list.Elements[i])
		if !ok || !chosen(value) {
			i++
			continue
		}
		next := &list.AfterExtra
		if i+1 < len(list.Elements) {
			next = &list.Elements[i+1].BeforeExtra
		}
		leave(list.Elements[i].BeforeExtra, next)
		list.Elements = slices.Delete(list.Elements, i, i+1)
		dropped++
	}
	if dropped > 0 && len(list.Elements) == 0 {
		d.prune(path)
	}
	return dropped
}

// prune removes an empty member, and then its object if that is empty.
func (d *document) prune(path string) {
	value, _ := d.find(path)
	if value == nil || !emptyValue(value.Value) {
		return
	}
	above, name, nested := cutLast(path)
	parent := &d.root
	if nested {
		parent, _ = d.find(above)
	}
	object, ok := parent.Value.(*hujson.Object)
	if !ok {
		return
	}
	for i := 0; i < len(object.Members); {
		if literal, ok := object.Members[i].Name.Value.(hujson.Literal); !ok || literal.String() != name {
			i++
			continue
		}
		next := &object.AfterExtra
		if i+1 < len(object.Members) {
			next = &object.Members[i+1].Name.BeforeExtra
		}
		leave(object.Members[i].Name.BeforeExtra, next)
		object.Members = slices.Delete(object.Members, i, i+1)
	}
	if nested {
		d.prune(above)
	}
}

// leave keeps the comment before an element that goes.
func leave(gone hujson.Extra, next *hujson.Extra) {
	if comment := bytes.TrimRight(gone, " \t\r\n"); len(comment) > 0 {
		*next = append(slices.Clone(comment), *next...)
	}
}

func cutLast(path string) (above, name string, nested bool) {
	if i := strings.LastIndexByte(path, '.'); i >= 0 {
		return path[:i], path[i+1:], true
	}
	return "", path, false
}

func emptyValue(v hujson.ValueTrimmed) bool {
	switch v := v.(type) {
	case *hujson.Array:
		return len(v.Elements) == 0
	case *hujson.Object:
		return len(v.Members) == 0
	}
	return false
}

// same compares values whatever types their numbers have.
func same(a, b any) bool { return reflect.DeepEqual(normal(a), normal(b)) }

func normal(value any) any {
	text, err := json.Marshal(value)
	var plain any
	if err != nil || json.Unmarshal(text, &plain) != nil {
		return value
	}
	return plain
}
