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

// sheet is a line that is written directly from the event, which works for most events. An
// event that has secrets to hide besides content and environments, or something to cut, is
// processed the slow way; see [Log.masked]. Sheets are reused, and hold nothing of an event
// in between.
type sheet struct {
	line   []byte
	masker *secrets.Masker
	masked []string // pointers of what was hidden

	path  []string // names and indices of where it is in the parameters
	nodes int      // of the parameters, that may still be written

	facts    gavel.Facts
	decision gavel.Decision
}

// forms are the encoders of the two parts of an event.
type forms struct{ facts, decision encoder }

func newForms() forms {
	known := shapes{}
	return forms{known.of(reflect.TypeFor[gavel.Facts]()), known.of(reflect.TypeFor[gavel.Decision]())}
}

// plain writes an event with only the built-in redaction, and reports whether that is
// complete: nothing in it may be a secret, and nothing has to be cut.
func (l *Log) plain(s *sheet, event *gavel.Event) bool {
	s.line, s.masked, s.path, s.nodes = s.line[:0], s.masked[:0], s.path[:0], maxNodes
	s.facts, s.decision = event.Facts, shown(event.Decision)
	defer func() { s.facts, s.decision = gavel.Facts{}, gavel.Decision{} }()
	d := &s.decision
	if s.line = append(s.line, '{'); d.Revision != "" {
		if !s.named(`"bundles":{"policy":{"revision":`, d.Revision) {
			return false
		}
		s.line = append(s.line, "}},"...)
	}
	if !s.named(`"custom":{"call":`, d.Call) || !s.named(`,"revision":`, d.Revision) || !s.named(`},"decision_id":`, d.ID) {
		return false
	}
	s.line = append(s.line, `,"input":`...)
	if !l.forms.facts(s, reflect.ValueOf(&s.facts).Elem()) {
		return false
	}
	s.environment()
	s.line = append(append(s.line, `,"labels":`...), l.written...)
	if !s.listMasked() {
		return false
	}
	s.line = strconv.AppendInt(append(s.line, `,"metrics":{"timer_analysis_ns":`...), event.Analysis.Nanoseconds(), 10)
	s.line = strconv.AppendInt(append(s.line, `,"timer_rego_query_eval_ns":`...), event.Evaluation.Nanoseconds(), 10)
	s.line = append(s.line, `},"path":"`+entrypoint+`"`...)
	if event.RequestedBy != "" && !s.named(`,"requested_by":`, event.RequestedBy) {
		return false
	}
	s.line = append(s.line, `,"result":`...)
	if !l.forms.decision(s, reflect.ValueOf(d).Elem()) {
		return false
	}
	s.line = event.Timestamp.UTC().AppendFormat(append(s.line, `,"timestamp":"`...), time.RFC3339Nano)
	s.line = append(s.line, "\"}\n"...)
	return len(s.line) <= maxLine
}

// listMasked says what was hidden.
func (s *sheet) listMasked() bool {
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

// environment hides the values of the result's environment.
func (s *sheet) environment() {
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

// named writes a text behind the name of a member.
func (s *sheet) named(name, text string) bool {
	s.line = append(s.line, name...)
	return s.quote(text)
}

// text writes a text in which there is no secret.
func (s *sheet) text(text string) bool {
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

func (s *sheet) null() bool {
	s.line = append(s.line, "null"...)
	return true
}

// comma comes before all but the first.
func (s *sheet) comma(i int) {
	if i > 0 {
		s.line = append(s.line, ',')
	}
}

// quote writes a text as encode does. It does not write one that is not UTF-8.
func (s *sheet) quote(text string) bool {
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
