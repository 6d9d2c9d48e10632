package strictjson

import (
	"bytes"
	"fmt"
	"reflect"

	"github.com/go-json-experiment/json/jsontext"
)

// refuseNull refuses null where type t wants a value. The library reads null as
// the zero value, and "executables": null must not pass for leaving it out. The
// document was already read into t, so its shape is known to fit.
func refuseNull(data []byte, t reflect.Type) error {
	dec := jsontext.NewDecoder(bytes.NewBuffer(data))
	if t.Kind() == reflect.Pointer {
		t = t.Elem() // what v points to; the document itself is never optional
	}
	refused, err := findNull(dec, t)
	if err != nil {
		return explain(data, err, t)
	}
	if refused == nil {
		return nil
	}
	offset := int(dec.InputOffset()) - len("null")
	return newError(data, offset, dec.StackPointer(), fmt.Sprintf("want %s, found null", describeType(refused)),
		"give a value, or leave the member out")
}

// findNull reads one value and returns the type for which a null stands, if any.
// The decoder is then just behind that null.
func findNull(dec *jsontext.Decoder, t reflect.Type) (refused reflect.Type, err error) {
	optional := t.Kind() == reflect.Pointer
	if optional {
		t = t.Elem()
	}
	switch kind := dec.PeekKind(); {
	case t.Kind() == reflect.Interface:
		return nil, dec.SkipValue()
	case kind == 'n' && !optional:
		_, err := dec.ReadToken()
		return t, err
	case kind == '{':
		return findNullInObject(dec, t)
	case kind == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return findNullInArray(dec, t.Elem())
	default:
		return nil, dec.SkipValue()
	}
}

func findNullInObject(dec *jsontext.Decoder, t reflect.Type) (refused reflect.Type, err error) {
	if t.Kind() != reflect.Struct && t.Kind() != reflect.Map {
		return nil, dec.SkipValue()
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, err
		}
		value, ok := valueType(t, name.String())
		if !ok {
			if err := dec.SkipValue(); err != nil {
				return nil, err
			}
			continue
		}
		if refused, err := findNull(dec, value); refused != nil || err != nil {
			return refused, err
		}
	}
	_, err = dec.ReadToken()
	return nil, err
}

func findNullInArray(dec *jsontext.Decoder, elem reflect.Type) (refused reflect.Type, err error) {
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	for kind := dec.PeekKind(); kind != ']' && kind != 0; kind = dec.PeekKind() {
		if refused, err := findNull(dec, elem); refused != nil || err != nil {
			return refused, err
		}
	}
	_, err = dec.ReadToken()
	return nil, err
}

// valueType returns the type of a member of a struct or map type.
func valueType(t reflect.Type, name string) (reflect.Type, bool) {
	if t.Kind() == reflect.Map {
		return t.Elem(), true
	}
	for field := range t.Fields() {
		if memberName(field) == name {
			return field.Type, true
		}
	}
	return nil, false
}
