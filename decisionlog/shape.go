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

// encoder appends a value of one type to a sheet as JSON. It returns false for a value that
// it does not support; the event is then processed the slow way.
type encoder func(s *sheet, v reflect.Value) bool

// shapes creates encoders, one for each type. Members of objects are sorted by name, as in
// the slow way.
type shapes map[reflect.Type]*encoder

func (known shapes) of(t reflect.Type) encoder {
	if e, ok := known[t]; ok { // it may not exist yet
		return func(s *sheet, v reflect.Value) bool { return (*e)(s, v) }
	}
	e := new(encoder)
	known[t] = e
	*e = known.make(t)
	return *e
}

func (known shapes) make(t reflect.Type) encoder {
	switch {
	case t == reflect.TypeFor[gavel.Effect]():
		return func(s *sheet, v reflect.Value) bool { return s.quote(gavel.Effect(v.Uint()).String()) }
	case t == reflect.TypeFor[time.Time]():
		return instant
	case t == reflect.TypeFor[map[string]any]():
		return parametersOf
	case t.Implements(reflect.TypeFor[json.Marshaler]()), t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return unknown
	}
	switch t.Kind() {
	case reflect.Bool:
		return func(s *sheet, v reflect.Value) bool { s.line = strconv.AppendBool(s.line, v.Bool()); return true }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(s *sheet, v reflect.Value) bool { s.line = strconv.AppendInt(s.line, v.Int(), 10); return true }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return func(s *sheet, v reflect.Value) bool { s.line = strconv.AppendUint(s.line, v.Uint(), 10); return true }
	case reflect.String:
		return func(s *sheet, v reflect.Value) bool { return s.text(v.String()) }
	case reflect.Pointer:
		return known.pointer(t)
	case reflect.Slice:
		return known.slice(t)
	case reflect.Map:
		return known.object(t)
	case reflect.Struct:
		return known.structure(t)
	default:
		return unknown
	}
}

// unknown writes nothing.
func unknown(*sheet, reflect.Value) bool { return false }

func instant(s *sheet, v reflect.Value) bool {
	text, err := json.Marshal(v.Interface())
	s.line = append(s.line, text...)
	return err == nil
}

func (known shapes) pointer(t reflect.Type) encoder {
	of := known.of(t.Elem())
	return func(s *sheet, v reflect.Value) bool {
		if v.IsNil() {
			return s.null()
		}
		return of(s, v.Elem())
	}
}

func (known shapes) slice(t reflect.Type) encoder {
	of := known.of(t.Elem())
	switch kind := t.Elem().Kind(); {
	case kind == reflect.Uint8 || reflect.ValueOf(of).Pointer() == reflect.ValueOf(encoder(unknown)).Pointer():
		return unknown
	case kind == reflect.String:
		return words
	}
	return func(s *sheet, v reflect.Value) bool {
		if v.IsNil() {
			return s.null()
		}
		s.line = append(s.line, '[')
		for i := range v.Len() {
			if s.comma(i); !of(s, v.Index(i)) {
				return false
			}
		}
		s.line = append(s.line, ']')
		return true
	}
}

// words writes a list of texts, each of which may be an option of the next.
func words(s *sheet, v reflect.Value) bool {
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

func (known shapes) object(t reflect.Type) encoder {
	if t.Key() != reflect.TypeFor[string]() {
		return unknown
	}
	of := known.of(t.Elem())
	return func(s *sheet, v reflect.Value) bool {
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
				if !of(s, v.MapIndex(key)) {
					return false
				}
			}
		}
		s.line = append(s.line, '}')
		return true
	}
}

// field is a member of an object.
type field struct {
	name      string // quoted, with the colon
	index     int
	omitEmpty bool
	omitZero  bool
	encode    encoder
}

// structure is the encoder of a struct. What its tags say beyond names and omissions is
// not known here.
func (known shapes) structure(t reflect.Type) encoder {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		if name == "" || !f.IsExported() || !utf8.ValidString(name) {
			return unknown
		}
		made := field{name: strconv.Quote(name) + ":", index: i, encode: known.of(f.Type)}
		switch options {
		case "":
		case "omitempty":
			made.omitEmpty = f.Type.Kind() != reflect.Struct
		case "omitzero":
			if _, own := f.Type.MethodByName("IsZero"); own {
				return unknown
			}
			made.omitZero = true
		default:
			return unknown
		}
		fields = append(fields, made)
	}
	slices.SortFunc(fields, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return func(s *sheet, v reflect.Value) bool {
		s.line = append(s.line, '{')
		first := true
		for i := range fields {
			f := &fields[i]
			value := v.Field(f.index)
			if f.omitEmpty && empty(value) || f.omitZero && value.IsZero() {
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

func empty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Map, reflect.Slice, reflect.String:
		return v.Len() == 0
	default:
		return v.IsZero()
	}
}
