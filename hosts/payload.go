package hosts

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"gavel/internal/jsonsize"
)

// Limits of a payload. The calls in it have limits of their own.
const (
	MaxPayload = 4 << 20 // bytes
	maxDepth   = 64      // objects and arrays inside one another
	maxValues  = 20_000
)

// Payload is what a host sent: one JSON object.
type Payload struct{ Object }

// Object is a JSON object whose members keep their order and their spelling.
type Object struct{ members []Member }

// Member is one member of an object.
type Member struct {
	Name  string
	Value jsontext.Value
}

// ReadPayload reads a payload. Duplicate names, bytes after the object, invalid UTF-8, lone
// surrogates, deep nesting and too large payloads are errors, because two readers could
// understand such a text differently.
func ReadPayload(text []byte) (Payload, error) {
	if len(text) > MaxPayload {
		return Payload{}, fmt.Errorf("the payload has more than %d bytes", MaxPayload)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return Payload{}, errors.New("the payload is empty")
	}
	if err := checkSize(text); err != nil {
		return Payload{}, err
	}
	dec := jsontext.NewDecoder(bytes.NewReader(text))
	value, err := dec.ReadValue()
	if err != nil {
		return Payload{}, fmt.Errorf("the payload is not JSON that has one meaning: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	}
	value = value.Clone()
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		return Payload{}, errors.New("there are bytes after the payload")
	}
	object, ok := objectOf(value)
	if !ok {
		return Payload{}, errors.New("the payload is not a JSON object")
	}
	return Payload{object}, nil
}

// checkSize refuses a text that is too deep or has too many values, before it is parsed.
func checkSize(text []byte) error {
	switch _, problem, _ := jsonsize.Scan(text, maxDepth, maxValues); problem {
	case jsonsize.TooDeep:
		return fmt.Errorf("the payload is nested deeper than %d levels", maxDepth)
	case jsonsize.TooMany:
		return fmt.Errorf("the payload has more than %d values", maxValues)
	default:
		return nil
	}
}

// objectOf reads a value that was already checked.
func objectOf(value jsontext.Value) (object Object, ok bool) {
	if value.Kind() != '{' {
		return Object{}, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(value))
	if _, err := dec.ReadToken(); err != nil {
		return Object{}, false
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return Object{}, false
		}
		key := name.String()
		member, err := dec.ReadValue()
		if err != nil {
			return Object{}, false
		}
		object.members = append(object.members, Member{key, member.Clone()})
	}
	return object, dec.PeekKind() == '}'
}

// Members returns the members in order.
func (o Object) Members() []Member { return o.members }

// Get returns a member's value, and false if there is none or it is null.
func (o Object) Get(name string) (jsontext.Value, bool) {
	for _, m := range o.members {
		if m.Name == name {
			return m.Value, m.Value.Kind() != 'n'
		}
	}
	return nil, false
}

// Has reports whether the object has a member that is not null.
func (o Object) Has(name string) bool {
	_, ok := o.Get(name)
	return ok
}

// Text returns a member that is a text, and "" if it is anything else.
func (o Object) Text(name string) string {
	value, _ := o.Get(name)
	text, _ := TextOf(value)
	return text
}

// At returns a member that is an object, and the empty object if it is anything else.
func (o Object) At(name string) Object {
	value, _ := o.Get(name)
	object, _ := objectOf(value)
	return object
}

// With returns the object with a member replaced, or added at the end.
func (o Object) With(name string, value jsontext.Value) Object {
	members := make([]Member, 0, len(o.members)+1)
	found := false
	for _, m := range o.members {
		if m.Name == name {
			m.Value, found = value, true
		}
		members = append(members, m)
	}
	if !found {
		members = append(members, Member{name, value})
	}
	return Object{members}
}

// Without returns the object without a member.
func (o Object) Without(name string) Object {
	return Object{slices.DeleteFunc(slices.Clone(o.members), func(m Member) bool { return m.Name == name })}
}

// JSON writes the object on one line. Values keep their spelling, except for blanks.
func (o Object) JSON() jsontext.Value {
	text := []byte{'{'}
	for i, m := range o.members {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, Quote(m.Name)...)
		text = append(text, ':')
		text = append(text, compact(m.Value)...)
	}
	return append(text, '}')
}

func compact(value jsontext.Value) jsontext.Value {
	short := value.Clone()
	if err := short.Compact(); err != nil {
		return jsontext.Value("null") // it was not JSON, which no caller passes
	}
	return short
}

// Quote writes text as a JSON string. Text that is not UTF-8 is replaced.
func Quote(text string) jsontext.Value {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil && len(quoted) == 0 {
		return jsontext.Value(`""`)
	}
	return quoted
}

// TextOf returns a value that is text.
func TextOf(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err == nil
}

// ListOf returns the elements of a value that is an array.
func ListOf(value jsontext.Value) (list []jsontext.Value, ok bool) {
	if value.Kind() != '[' {
		return nil, false
	}
	dec := jsontext.NewDecoder(bytes.NewReader(value))
	if _, err := dec.ReadToken(); err != nil {
		return nil, false
	}
	for dec.PeekKind() != ']' {
		element, err := dec.ReadValue()
		if err != nil {
			return nil, false
		}
		list = append(list, element.Clone())
	}
	return list, true
}

// ObjectOf returns a value that is an object.
func ObjectOf(value jsontext.Value) (Object, bool) { return objectOf(value) }

// AnyOf returns a value as encoding/json would read it into an any.
func AnyOf(value jsontext.Value) any {
	switch value.Kind() {
	case '"':
		text, _ := TextOf(value)
		return text
	case '0':
		number, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return string(value)
		}
		return number
	case 't':
		return true
	case 'f':
		return false
	case '[':
		elements, _ := ListOf(value)
		list := make([]any, len(elements))
		for i, element := range elements {
			list[i] = AnyOf(element)
		}
		return list
	case '{':
		object, _ := objectOf(value)
		members := make(map[string]any, len(object.members))
		for _, m := range object.members {
			members[m.Name] = AnyOf(m.Value)
		}
		return members
	default:
		return nil
	}
}
