package decisionlog

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"gavel"
)

// encodeFunc appends a value of one type to s.line as JSON. It returns false if the event has to
// take the slow path.
type encodeFunc func(s *encodeState, v reflect.Value) bool

// encoderTable has an encoder for each type. Encoders sort the members of objects by name, like
// the slow path.
type encoderTable map[reflect.Type]*encodeFunc

func (table encoderTable) encoderOf(t reflect.Type) encodeFunc {
	if e, ok := table[t]; ok { // in a recursive type, *e is not set yet
		return func(s *encodeState, v reflect.Value) bool { return (*e)(s, v) }
	}
	e := new(encodeFunc)
	table[t] = e
	*e = table.build(t)
	return *e
}

func (table encoderTable) build(t reflect.Type) encodeFunc {
	switch {
	case t == reflect.TypeFor[gavel.Effect]():
		return func(s *encodeState, v reflect.Value) bool { return s.quote(gavel.Effect(v.Uint()).String()) }
	case t == reflect.TypeFor[time.Time]():
		return encodeTime
	case t == reflect.TypeFor[map[string]any]():
		return encodeParams
	case t.Implements(reflect.TypeFor[json.Marshaler]()), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return unsupported
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(s *encodeState, v reflect.Value) bool { s.line = strconv.AppendBool(s.line, v.Bool()); return true }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(s *encodeState, v reflect.Value) bool {
			s.line = strconv.AppendInt(s.line, v.Int(), 10)
			return true
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(s *encodeState, v reflect.Value) bool {
			s.line = strconv.AppendUint(s.line, v.Uint(), 10)
			return true
		}
	case reflect.String:
		return func(s *encodeState, v reflect.Value) bool { return s.text(v.String()) }
	case reflect.Pointer:
		return table.pointerTo(t)
	case reflect.Slice:
		return table.sliceOf(t)
	case reflect.Map:
		return table.mapOf(t)
	case reflect.Struct:
		return table.structOf(t)
	default:
		return unsupported
	}
}

// unsupported is the encoder of types that always take the slow path.
func unsupported(*encodeState, reflect.Value) bool { return false }

func encodeTime(s *encodeState, v reflect.Value) bool {
	text, err := json.Marshal(v.Interface())
	s.line = append(s.line, text...)
	return err == nil
}

func (table encoderTable) pointerTo(t reflect.Type) encodeFunc {
	element := table.encoderOf(t.Elem())
	return func(s *encodeState, v reflect.Value) bool {
		if v.IsNil() {
			return s.null()
		}
		return element(s, v.Elem())
	}
}

func (table encoderTable) sliceOf(t reflect.Type) encodeFunc {
	element := table.encoderOf(t.Elem())
	switch kind := t.Elem().Kind(); {
	case kind == reflect.Uint8 || reflect.ValueOf(element).Pointer() == reflect.ValueOf(encodeFunc(unsupported)).Pointer():
		return unsupported
	case kind == reflect.String:
		return encodeStrings
	}
	return func(s *encodeState, v reflect.Value) bool {
		if v.IsNil() {
			return s.null()
		}
		s.line = append(s.line, '[')
		for i := range v.Len() {
			if s.comma(i); !element(s, v.Index(i)) {
				return false
			}
		}
		s.line = append(s.line, ']')
		return true
	}
}

// encodeStrings writes a list of strings. They may be the words of a command, in which an option
// says whether the next word is a secret.
func encodeStrings(s *encodeState, v reflect.Value) bool {
	if v.IsNil() {
		return s.null()
	}
	s.line = append(s.line, '[')
	suspect := false
	for i := range v.Len() {
		s.comma(i)
		start := len(s.line)
		if text := v.Index(i).String(); len(text) > maxText || !s.quote(text) {
			return false
		}
		suspect = suspect || s.masker.Suspect(s.line[start:])
	}
	s.line = append(s.line, ']')
	if !suspect {
		return true
	}
	list := make([]string, v.Len())
	for i := range list {
		list[i] = v.Index(i).String()
	}
	_, found := s.masker.Words(list)
	return len(found) == 0
}

func (table encoderTable) mapOf(t reflect.Type) encodeFunc {
	if t.Key() != reflect.TypeFor[string]() {
		return unsupported
	}
	element := table.encoderOf(t.Elem())
	return func(s *encodeState, v reflect.Value) bool {
		if v.IsNil() {
			return s.null()
		}
		s.line = append(s.line, '{')
		if v.Len() > 0 {
			keys := v.MapKeys()
			slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
			for i, key := range keys {
				if s.comma(i); !s.quote(key.String()) {
					return false
				}
				s.line = append(s.line, ':')
				if !element(s, v.MapIndex(key)) {
					return false
				}
			}
		}
		s.line = append(s.line, '}')
		return true
	}
}

// field describes a field of a struct.
type field struct {
	name      string // quoted, with a colon
	index     int
	omitEmpty bool
	omitZero  bool
	encode    encodeFunc
}

// structOf returns the encoder of a struct. Of the options in tags it supports omitempty and
// omitzero.
func (table encoderTable) structOf(t reflect.Type) encodeFunc {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" || !f.IsExported() || !utf8.ValidString(name) {
			return unsupported
		}
		entry := field{name: strconv.Quote(name) + ":", index: i, encode: table.encoderOf(f.Type)}
		switch options {
		case "":
		case "omitempty":
			entry.omitEmpty = f.Type.Kind() != reflect.Struct
		case "omitzero":
			if _, own := f.Type.MethodByName("IsZero"); own {
				return unsupported
			}
			entry.omitZero = true
		default:
			return unsupported
		}
		fields = append(fields, entry)
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return func(s *encodeState, v reflect.Value) bool {
		s.line = append(s.line, '{')
		first := true
		for i := range fields {
			f := &fields[i]
			value := v.Field(f.index)
			if f.omitEmpty && isEmpty(value) || f.omitZero && value.IsZero() {
				continue
			}
			if !first {
				s.line = append(s.line, ',')
			}
			first = false
			s.line = append(s.line, f.name...)
			if !f.encode(s, value) {
				return false
			}
		}
		s.line = append(s.line, '}')
		return true
	}
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
