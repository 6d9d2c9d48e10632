package decisionlog

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/redact"
)

// parametersOf writes a tool's parameters, without content and without values of variables.
// It does not write parameters that [parameters] would change in other ways.
func parametersOf(s *sheet, v reflect.Value) bool {
	if v.IsNil() {
		return s.null()
	}
	params, ok := v.Interface().(map[string]any)
	return ok && s.object(params)
}

func (s *sheet) value(v any) bool {
	switch v := v.(type) {
	case nil:
		return s.null()
	case bool:
		s.line = strconv.AppendBool(s.line, v)
		return true
	case string:
		return s.text(v)
	case json.Number:
		start := len(s.line)
		s.line = append(s.line, v...)
		return v != "" && (v[0] == '-' || '0' <= v[0] && v[0] <= '9') && json.Valid(s.line[start:])
	case float64:
		text, err := json.Marshal(v)
		s.line = append(s.line, text...)
		return err == nil
	case map[string]any:
		return s.object(v)
	case []any:
		return s.array(v)
	default:
		return false
	}
}

// room reports whether another member or element may be written here.
func (s *sheet) room(n int) bool {
	s.nodes -= n
	return s.nodes >= 0 && len(s.path) < maxDepth-1
}

func (s *sheet) object(object map[string]any) bool {
	if object == nil || !s.room(len(object)) {
		return false
	}
	s.line = append(s.line, '{')
	var space [16]string // most objects are small
	names := space[:0]
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		s.comma(i)
		start := len(s.line)
		if len(name) > maxName || !s.quote(name) || s.secretName(name, start) {
			return false
		}
		s.line = append(s.line, ':')
		s.path = append(s.path, name)
		if !s.member(name, object[name]) {
			return false
		}
		s.path = s.path[:len(s.path)-1]
	}
	s.line = append(s.line, '}')
	return true
}

// secretName tells whether a member whose name was written from start on holds a secret, or
// headers.
func (s *sheet) secretName(name string, start int) bool {
	return name != "" && (redact.Headers(name) || s.masker.Suspect(s.line[start:]) && s.masker.Name(name))
}

func (s *sheet) member(name string, value any) bool {
	switch folded := redact.Plain(name); {
	case redact.Content(folded):
		return s.hide()
	case folded == redact.Variables:
		return s.variables(value)
	default:
		return s.value(value)
	}
}

func (s *sheet) array(list []any) bool {
	if list == nil || !s.room(len(list)) {
		return false
	}
	texts, suspect := make([]string, 0, len(list)), false
	s.line = append(s.line, '[')
	for i, element := range list {
		s.comma(i)
		s.path = append(s.path, strconv.Itoa(i))
		start := len(s.line)
		if text, ok := element.(string); ok {
			if texts = append(texts, text); len(text) > maxText || !s.quote(text) {
				return false
			}
			suspect = suspect || s.masker.Suspect(s.line[start:])
		} else if !s.value(element) {
			return false
		}
		s.path = s.path[:len(s.path)-1]
	}
	s.line = append(s.line, ']')
	if !suspect {
		return true
	}
	if len(texts) == len(list) {
		_, found := s.masker.Words(texts)
		return len(found) == 0
	}
	for _, text := range texts {
		if _, found := s.masker.Text(text); len(found) > 0 {
			return false
		}
	}
	return true
}

// variables writes an environment without its values.
func (s *sheet) variables(env any) bool {
	switch env := env.(type) {
	case nil:
		return s.null()
	case map[string]any:
		if env == nil || !s.room(len(env)) {
			return false
		}
		s.line = append(s.line, '{')
		for i, name := range sorted(env) {
			if s.comma(i); len(name) > maxName || !s.quote(name) || !short(env[name]) {
				return false
			}
			s.line = append(s.line, ':')
			s.path = append(s.path, name)
			s.hide()
			s.path = s.path[:len(s.path)-1]
		}
		s.line = append(s.line, '}')
		return true
	case string, bool, float64, json.Number:
		return short(env) && s.hide()
	default:
		return false
	}
}

// short tells whether a value of an environment reveals nothing when it is hidden.
func short(value any) bool {
	switch value := value.(type) {
	case nil, bool, float64, json.Number:
		return true
	case string:
		return len(value) <= maxText
	default:
		return false
	}
}

// hide writes the replacement of a value, and records its location.
func (s *sheet) hide() bool {
	var at strings.Builder
	at.WriteString("/input/tool/params")
	for _, token := range s.path {
		at.WriteString("/" + escape(token))
	}
	s.masked = append(s.masked, at.String())
	return s.quote(redacted)
}
