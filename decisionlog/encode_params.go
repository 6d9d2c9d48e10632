package decisionlog

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/redact"
)

// encodeParams writes a tool's parameters, with content and the values of variables redacted.
// Like all functions here, it returns false if the slow path would change anything else.
func encodeParams(s *encodeState, v reflect.Value) bool {
	if v.IsNil() {
		return s.null()
	}
	params, ok := v.Interface().(map[string]any)
	return ok && s.object(params)
}

func (s *encodeState) value(v any) bool {
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

// take counts n members or elements, and reports whether they are within the limits.
func (s *encodeState) take(n int) bool {
	s.nodesLeft -= n
	return s.nodesLeft >= 0 && len(s.path) < maxDepth-1
}

func (s *encodeState) object(object map[string]any) bool {
	if object == nil || !s.take(len(object)) {
		return false
	}
	s.line = append(s.line, '{')
	var space [16]string // avoids an allocation for most objects
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
		if !s.parameter(name, object[name]) {
			return false
		}
		s.path = s.path[:len(s.path)-1]
	}
	s.line = append(s.line, '}')
	return true
}

// secretName reports whether a member with this name is a secret, or contains headers. The quoted
// name starts at s.line[start].
func (s *encodeState) secretName(name string, start int) bool {
	return name != "" && (redact.Headers(name) || s.masker.Suspect(s.line[start:]) && s.masker.Name(name))
}

func (s *encodeState) parameter(name string, value any) bool {
	switch folded := redact.Plain(name); {
	case redact.Content(folded):
		return s.redact()
	case folded == redact.Variables:
		return s.environment(value)
	default:
		return s.value(value)
	}
}

func (s *encodeState) array(list []any) bool {
	if list == nil || !s.take(len(list)) {
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

// environment writes an environment with its values redacted.
func (s *encodeState) environment(env any) bool {
	switch env := env.(type) {
	case nil:
		return s.null()
	case map[string]any:
		if env == nil || !s.take(len(env)) {
			return false
		}
		s.line = append(s.line, '{')
		for i, name := range sortedKeys(env) {
			if s.comma(i); len(name) > maxName || !s.quote(name) || !isShortScalar(env[name]) {
				return false
			}
			s.line = append(s.line, ':')
			s.path = append(s.path, name)
			s.redact()
			s.path = s.path[:len(s.path)-1]
		}
		s.line = append(s.line, '}')
		return true
	case string, bool, float64, json.Number:
		return isShortScalar(env) && s.redact()
	default:
		return false
	}
}

// isShortScalar reports whether a value is replaced with [redacted] as a whole. The slow path
// also records what it cut from long strings and from containers.
func isShortScalar(value any) bool {
	switch value := value.(type) {
	case nil, bool, float64, json.Number:
		return true
	case string:
		return len(value) <= maxText
	default:
		return false
	}
}

// redact writes [redacted] in place of the value at s.path, and adds its pointer to s.masked.
func (s *encodeState) redact() bool {
	var at strings.Builder
	at.WriteString("/input/tool/params")
	for _, token := range s.path {
		at.WriteString("/" + escape(token))
	}
	s.masked = append(s.masked, at.String())
	return s.quote(redacted)
}
