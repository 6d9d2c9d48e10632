package decisionlog

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"gavel"
	"gavel/internal/secrets"
)

// encodeState is the state of the fast path, which writes a line directly from an event. Apart
// from content and environments it redacts nothing, and it cuts nothing. If it finds a possible
// secret or a long text, the slow path takes over, see [Log.maskedDocument]. States are reused,
// and keep nothing of an event.
type encodeState struct {
	line   []byte
	masker *secrets.Masker
	masked []string // pointers of redacted values

	path      []string // names and indexes of the current location in the parameters
	nodesLeft int      // how many members and elements of the parameters may still be written

	facts    gavel.Facts
	decision gavel.Decision
}

type eventEncoders struct{ facts, decision encodeFunc }

func newEventEncoders() eventEncoders {
	table := encoderTable{}
	return eventEncoders{table.encoderOf(reflect.TypeFor[gavel.Facts]()), table.encoderOf(reflect.TypeFor[gavel.Decision]())}
}

// encodeFast writes the event to s.line. It returns false if the event has to take the slow path.
func (l *Log) encodeFast(s *encodeState, event *gavel.Event) bool {
	s.line, s.masked, s.path, s.nodesLeft = s.line[:0], s.masked[:0], s.path[:0], maxNodes
	s.facts, s.decision = event.Facts, withoutPrivateParts(event.Decision)
	defer func() { s.facts, s.decision = gavel.Facts{}, gavel.Decision{} }()
	d := &s.decision
	if s.line = append(s.line, '{'); d.Revision != "" {
		if !s.member(`"bundles":{"policy":{"revision":`, d.Revision) {
			return false
		}
		s.line = append(s.line, "}},"...)
	}
	if !s.member(`"custom":{"call":`, d.Call) || !s.member(`,"revision":`, d.Revision) || !s.member(`},"decision_id":`, d.ID) {
		return false
	}
	s.line = append(s.line, `,"input":`...)
	if !l.encoders.facts(s, reflect.ValueOf(&s.facts).Elem()) {
		return false
	}
	s.redactExecEnv()
	s.line = append(append(s.line, `,"labels":`...), l.labelsJSON...)
	if !s.maskedList() {
		return false
	}
	s.line = strconv.AppendInt(append(s.line, `,"metrics":{"timer_analysis_ns":`...), event.Analysis.Nanoseconds(), 10)
	s.line = strconv.AppendInt(append(s.line, `,"timer_rego_query_eval_ns":`...), event.Evaluation.Nanoseconds(), 10)
	s.line = append(s.line, `},"path":"`+entrypoint+`"`...)
	if event.RequestedBy != "" && !s.member(`,"requested_by":`, event.RequestedBy) {
		return false
	}
	s.line = append(s.line, `,"result":`...)
	if !l.encoders.decision(s, reflect.ValueOf(d).Elem()) {
		return false
	}
	s.line = event.Timestamp.UTC().AppendFormat(append(s.line, `,"timestamp":"`...), time.RFC3339Nano)
	s.line = append(s.line, "\"}\n"...)
	return len(s.line) <= maxLine
}

// maskedList writes the pointers of redacted values.
func (s *encodeState) maskedList() bool {
	if len(s.masked) == 0 {
		return true
	}
	s.line = append(s.line, `,"masked":[`...)
	for i, pointer := range s.masked {
		if s.comma(i); !s.quote(pointer) {
			return false
		}
	}
	s.line = append(s.line, ']')
	return true
}

// redactExecEnv redacts the values of the environment in s.decision.
func (s *encodeState) redactExecEnv() {
	if s.decision.Exec == nil || len(s.decision.Exec.Env) == 0 {
		return
	}
	exec := *s.decision.Exec
	exec.Env = make(map[string]string, len(exec.Env))
	for _, name := range slices.Sorted(maps.Keys(s.decision.Exec.Env)) {
		exec.Env[name] = redacted
		s.masked = append(s.masked, "/result/exec/env/"+escape(name))
	}
	s.decision.Exec = &exec
}

// member writes name, which is already JSON, and a string value. It does not look for secrets.
func (s *encodeState) member(name, text string) bool {
	s.line = append(s.line, name...)
	return s.quote(text)
}

// text writes a string. It returns false if the string is long or contains a secret.
func (s *encodeState) text(text string) bool {
	start := len(s.line)
	if len(text) > maxText || !s.quote(text) {
		return false
	}
	if !s.masker.Suspect(s.line[start:]) {
		return true
	}
	_, found := s.masker.Text(text)
	return len(found) == 0
}

func (s *encodeState) null() bool {
	s.line = append(s.line, "null"...)
	return true
}

// comma writes a comma before every element except the first.
func (s *encodeState) comma(i int) {
	if i > 0 {
		s.line = append(s.line, ',')
	}
}

// quote writes a string exactly as encodeJSON does. It returns false if text is not UTF-8.
func (s *encodeState) quote(text string) bool {
	line := append(s.line, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= ' ' && c != '"' && c != '\\' && c < del {
			i++
			continue
		}
		size := 1
		if c >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRuneInString(text[i:])
			if r == utf8.RuneError && size == 1 {
				return false
			}
			if unicode.IsPrint(r) {
				i += size
				continue
			}
			line = appendEscape(append(line, text[start:i]...), r)
		} else {
			line = append(line, text[start:i]...)
			switch c {
			case '"', '\\':
				line = append(line, '\\', c)
			case '\b', '\f', '\n', '\r', '\t':
				line = append(line, '\\', "btn_fr"[c-'\b'])
			default:
				line = appendEscape(line, rune(c))
			}
		}
		i += size
		start = i
	}
	s.line = append(append(line, text[start:]...), '"')
	return true
}
