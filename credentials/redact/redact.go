// Package redact takes credentials out of the output of the tools that were given them, even where
// a credential is cut into pieces, or is encoded: as base64 at any offset, in a URL, as hexadecimal
// digits, in a JSON text, and as a word of a shell or of YAML; as it is, as base64 and as
// hexadecimal digits also in another case and with blanks or line breaks between. What a program
// does to a text on purpose cannot all be known: a client that can have it reversed or encrypted sees it.
package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// Mark stands for a credential.
const Mark = "[REDACTED]"

// shortest is the length in bytes of a credential that is looked for. Shorter ones occur in any
// output by chance.
const shortest = 4

// held is the most that is kept back while a credential seems to go on and on, in bytes beyond the
// longest credential.
const held = 32 << 10

// Redactor takes credentials out of one stream. It is not safe for concurrent use.
type Redactor struct {
	patterns []pattern
	finder   *finder // of the patterns
	loose    []looseness
	buffer   []byte   // for credentials
	out      []byte   // what was shown last
	stages   []*stage // one for each rule
}

// Rule replaces what a pattern matches, after credentials are redacted.
type Rule struct {
	Pattern *regexp.Regexp
	Replace string
}

// pattern is one spelling of a credential.
type pattern struct {
	text []byte
	fall []int // for each length, that of the longest beginning that is also an end
}

// New returns a redactor, or nil if there is nothing to look for.
func New(values []string, rules []Rule) *Redactor {
	r := &Redactor{loose: loosely(values)}
	for _, rule := range rules {
		r.stages = append(r.stages, newStage(rule))
	}
	for _, spelled := range Spellings(values) {
		r.patterns = append(r.patterns, pattern{[]byte(spelled), falls(spelled)})
	}
	if len(r.patterns)+len(rules) == 0 {
		return nil
	}
	r.finder = newFinder(r.patterns)
	return r
}

// Spellings are the texts under which credentials are looked for, longest first.
func Spellings(values []string) []string {
	seen := map[string]bool{}
	for _, value := range values {
		for _, line := range append([]string{value}, lines(value)...) {
			if len(line) < shortest {
				continue
			}
			for _, spelled := range spell(line) {
				if len(spelled) >= shortest {
					seen[spelled] = true
				}
			}
		}
	}
	list := make([]string, 0, len(seen))
	for text := range seen {
		list = append(list, text)
	}
	slices.SortFunc(list, func(a, b string) int {
		if len(a) != len(b) {
			return len(b) - len(a)
		}
		return strings.Compare(a, b)
	})
	return list
}

// lines are the longer lines of a credential that has several, such as a private key: a terminal
// changes line ends, and a tool may indent them.
func lines(value string) (list []string) {
	const longEnough, most = 16, 256
	for line := range strings.Lines(value) {
		line = strings.TrimSpace(line)
		if len(line) >= longEnough && line != value && !strings.HasPrefix(line, "-----") && len(list) < most {
			list = append(list, line)
		}
	}
	return list
}

// spell returns a text as programs write it.
func spell(value string) []string {
	list := []string{value, url.QueryEscape(value), url.PathEscape(value), lowerEscapes(url.QueryEscape(value)), lowerEscapes(url.PathEscape(value)),
		hex.EncodeToString([]byte(value)), strings.ToUpper(hex.EncodeToString([]byte(value))),
		strings.ReplaceAll(value, "'", "''"), strings.ReplaceAll(value, "'", `'\''`)}
	for _, escapeHTML := range []bool{false, true} {
		var out bytes.Buffer
		encoder := json.NewEncoder(&out)
		encoder.SetEscapeHTML(escapeHTML)
		if encoder.Encode(value) == nil {
			list = append(list, strings.Trim(strings.TrimSpace(out.String()), `"`))
		}
	}
	return append(list, base64s(value)...)
}

// base64s are the spellings of a value in base64, within a longer text or at its end.
func base64s(value string) (list []string) {
	for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
		for offset := range 3 {
			list = append(list, within(encoding, value, offset)...)
		}
	}
	return list
}

// within is what of the base64 of a longer text depends on the value alone, if the value begins at
// this offset of three: where more follows, where it is the end, and there with the padding.
func within(encoding *base64.Encoding, value string, offset int) []string {
	padded := encoding.EncodeToString(append(make([]byte, offset), value...))
	text := strings.TrimRight(padded, "=")
	begin, end := (offset*8+5)/6, len(text)
	if (offset+len(value))%3 != 0 {
		end-- // its last bits belong to what follows
	}
	if begin >= end {
		return nil
	}
	return []string{text[begin:end], text[begin:], padded[begin:]}
}

// lowerEscapes is a text with %AB as %ab.
func lowerEscapes(text string) string {
	return regexp.MustCompile(`%[0-9A-F]{2}`).ReplaceAllStringFunc(text, strings.ToLower)
}

// falls is the failure function of Knuth, Morris and Pratt.
func falls(text string) []int {
	fall := make([]int, len(text)+1)
	for i, k := 1, 0; i < len(text); i++ {
		for k > 0 && text[i] != text[k] {
			k = fall[k]
		}
		if text[i] == text[k] {
			k++
		}
		fall[i+1] = k
	}
	return fall
}

// begun is the length of the longest end of data that a pattern begins with, less than all of it.
func (p *pattern) begun(data []byte) int {
	data = data[max(0, len(data)-len(p.text)+1):]
	k := 0
	for _, c := range data {
		for k > 0 && (k == len(p.text) || c != p.text[k]) {
			k = p.fall[k]
		}
		if c == p.text[k] {
			k++
		}
	}
	return k
}

// Write takes a piece of output, and returns what can be shown now, which is valid until the next
// call. What may be the beginning of a
// credential is kept back.
func (r *Redactor) Write(data []byte) []byte {
	if r == nil {
		return data
	}
	r.buffer = append(r.buffer, data...)
	spans, keep := r.spans()
	return r.ruled(r.take(spans, len(r.buffer)-keep), false)
}

// Close returns the rest.
func (r *Redactor) Close() []byte {
	if r == nil {
		return nil
	}
	spans, _ := r.spans()
	return r.ruled(r.take(spans, len(r.buffer)), true)
}

// Cut returns the rest of output that was cut off here, and would have gone on. What may be the
// beginning of a credential, or of a match of a rule, is redacted if it is as long as the shortest
// credential.
func (r *Redactor) Cut() []byte {
	if r == nil {
		return nil
	}
	spans, keep := r.spans()
	data := slices.Clone(r.take(spans, len(r.buffer)-keep))
	if len(r.buffer) >= shortest {
		data = append(data, Mark...)
	} else {
		data = append(data, r.buffer...)
	}
	r.buffer = r.buffer[:0]
	for _, s := range r.stages {
		data = s.cut(data)
	}
	return data
}

type span struct{ start, end int }

// take removes the buffer up to cut, without what is in a credential that goes on behind it.
func (r *Redactor) take(spans []span, cut int) []byte {
	out := r.out[:0]
	at := 0
	for _, s := range spans {
		if s.start >= cut {
			break
		}
		if s.end > cut && len(r.buffer) <= held+len(r.longest()) {
			cut = s.start
			break
		}
		out = append(append(out, r.buffer[at:s.start]...), Mark...)
		at = s.end
		cut = max(cut, at)
	}
	out = append(out, r.buffer[min(at, cut):cut]...)
	r.buffer = append(r.buffer[:0], r.buffer[cut:]...)
	r.out = out
	return out
}

func (r *Redactor) longest() []byte {
	if len(r.patterns) == 0 {
		return nil
	}
	return r.patterns[0].text
}

// spans are the places of credentials in the buffer, in order; those that overlap are one. Begun is
// how many bytes at its end may be the beginning of one.
func (r *Redactor) spans() (list []span, begun int) {
	if len(r.patterns) > 0 {
		list = r.finder.in(r.buffer)
	}
	for i := range r.patterns {
		begun = max(begun, r.patterns[i].begun(r.buffer))
	}
	for i := range r.loose {
		found, at := r.loose[i].look(r.buffer)
		list, begun = append(list, found...), max(begun, at)
	}
	slices.SortFunc(list, func(a, b span) int { return a.start - b.start })
	merged := list[:0]
	for _, s := range list {
		if n := len(merged); n > 0 && s.start < merged[n-1].end {
			merged[n-1].end = max(merged[n-1].end, s.end)
			continue
		}
		merged = append(merged, s)
	}
	return merged, begun
}

// ruled applies the rules, one after the other.
func (r *Redactor) ruled(data []byte, last bool) []byte {
	for _, s := range r.stages {
		data = s.write(data, last)
	}
	return data
}
