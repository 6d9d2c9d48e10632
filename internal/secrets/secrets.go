// Package secrets hides what looks like a secret in texts that people and logs are
// shown: passwords and tokens in commands, in URLs, in headers and in JSON, and strings
// that look like a credential by themselves.
//
// It knows secrets by the names they are given (API_KEY=…, --password …, ?token=…), by
// the places where they stand (user:password@host, Authorization: Bearer …, curl -u …)
// and by their shape (a JWT, a key of a cloud, a private key). The names, places and
// shapes are tables: table.go. What has none of these is not found: a password by itself
// looks like any other word. References to a secret ($TOKEN, $(cat f)) are not secrets.
//
// It reads text as a shell would, tolerantly: text that is not a shell command, such as a
// message, is read the same way.
package secrets

import (
	"slices"
	"strings"
)

// Redacted stands where a secret was.
const Redacted = "**REDACTED**"

// deepest is how often a quoted text is read as a text of its own.
const deepest = 5

// Masker hides secrets. Make one with [New] and keep it. It is safe for concurrent use.
type Masker struct {
	table    table
	patterns patterns
	triggers triggers
	// headerEnds are how the names of headers with secrets end.
	headerEnds []string
}

// New makes a masker.
func New() *Masker {
	t := newTable()
	ends := append(slices.Clone(t.headers), "token", "secret", "apikey", "api-key", "password", "signature")
	return &Masker{table: t, patterns: newPatterns(&t), triggers: newTriggers(t.triggers(), t.prose), headerEnds: ends}
}

// Suspect tells quickly whether a text may hold a secret. When it says no, [Masker.Text]
// and [Masker.Words] change nothing.
func (m *Masker) Suspect(text []byte) bool { return m.triggers.in(text) }

// Text returns the text with [Redacted] in place of each secret, and the secrets.
func (m *Masker) Text(text string) (masked string, found []string) {
	if !m.Suspect([]byte(text)) {
		return text, nil
	}
	return replace(text, m.find(text, 0))
}

// Words is Text for the words of a command, one by one: what is behind --password
// is a secret because of the word before it. What it is given is not changed.
func (m *Masker) Words(words []string) (masked []string, found []string) {
	masked = slices.Clone(words)
	var before reading
	for i, word := range words {
		spans := m.word(word, &before, func(int) bool { return false })
		spans = append(spans, m.find(word, 1)...)
		var values []string
		masked[i], values = replace(word, spans)
		found = append(found, values...)
	}
	return masked, found
}

// span is a secret in a text: from start up to end, in bytes.
type span struct{ start, end int }

// find returns where the secrets of a text are. level counts how often it was inside
// quotes.
func (m *Masker) find(text string, level int) []span {
	spans := m.shapes(text)
	spans = append(spans, m.urls(text)...)
	spans = append(spans, m.headers(text)...)
	spans = append(spans, m.pairs(text)...)
	spans = append(spans, m.queries(text)...)
	return append(spans, m.commands(text, level)...)
}

// commands reads a text as shell commands.
func (m *Masker) commands(text string, level int) (spans []span) {
	var before reading
	for _, w := range split(text) {
		if w.first {
			before = reading{}
		}
		for _, s := range m.word(w.plain, &before, w.quotedAt) {
			spans = append(spans, w.in(s))
		}
		if w.quoted && level < deepest {
			for _, s := range m.find(w.plain, level+1) {
				spans = append(spans, w.in(s))
			}
		}
	}
	return spans
}

// replace puts Redacted in place of spans, and returns what stood there.
func replace(text string, spans []span) (string, []string) {
	if len(spans) == 0 {
		return text, nil
	}
	slices.SortFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return b.end - a.end
	})
	var out strings.Builder
	var found []string
	at := 0
	for _, s := range spans {
		s.end = s.start + literal(text[s.start:s.end])
		s.end -= sentence(text, s)
		if s.end <= s.start || s.end <= at || strings.Trim(text[max(s.start, at):s.end], `'"`) == Redacted {
			continue
		}
		if s.start >= at {
			out.WriteString(text[at:s.start])
			out.WriteString(Redacted)
		}
		found = append(found, text[s.start:s.end])
		at = s.end
	}
	out.WriteString(text[at:])
	return out.String(), found
}

// sentence is 1 if a span ends with the punctuation of a sentence, and otherwise 0. Messages
// quote commands without quotes: "x --token abc: it runs other programs".
func sentence(text string, s span) int {
	if s.end-s.start < 2 || s.end >= len(text) || text[s.end] != ' ' || strings.IndexByte(":,", text[s.end-1]) < 0 {
		return 0
	}
	return 1
}

// literal is how much of a secret stands there as it is: a command that would make the
// rest of it is never hidden.
func literal(text string) int {
	for i := range len(text) {
		if text[i] == '`' || text[i] == '$' && i+1 < len(text) && text[i+1] == '(' {
			return i
		}
	}
	return len(text)
}
