// Package redact hides what neither the decision log nor an outside verifier may see of a
// tool's parameters (R35): contents, values of variables, and what looks like a secret. Its
// tables are for both; the log has its own way of writing.
package redact

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"gavel/internal/secrets"
)

// Redactor hides parts of parameters. Make one with [New]. It is safe for concurrent use.
type Redactor struct{ masker *secrets.Masker }

// New makes a redactor.
func New() *Redactor { return &Redactor{secrets.New()} }

// Parameters returns a copy of a tool's parameters without what must not be seen, and the JSON
// pointers of what it changed, sorted. A value that is hidden as a whole is [REDACTED: N
// chars], with N in code points; of a value that is not text, those of its JSON. A secret inside
// a text is [secrets.Redacted]. hide are further JSON pointers to hide; one that leads nowhere
// hides nothing. The parameters are JSON types, and stay as they are.
func (r *Redactor) Parameters(params map[string]any, hide []string) (map[string]any, []string) {
	w := &walk{masker: r.masker, hide: map[string]bool{}, changed: []string{}}
	for _, pointer := range hide {
		w.hide[canonical(pointer)] = true
	}
	shown := w.object(params, "")
	slices.Sort(w.changed)
	return shown, w.changed
}

// Text returns a text without what looks like a secret.
func (r *Redactor) Text(text string) string {
	masked, _ := r.masker.Text(text)
	return masked
}

type walk struct {
	masker  *secrets.Masker
	hide    map[string]bool
	changed []string
}

func (w *walk) object(object map[string]any, at string) map[string]any {
	shown := make(map[string]any, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		here := at + "/" + escape(name)
		shown[name] = w.member(name, object[name], here)
	}
	return shown
}

func (w *walk) member(name string, value any, at string) any {
	folded := Plain(name)
	switch {
	case w.hide[at], Content(folded), name != "" && w.masker.Name(name):
		return w.whole(value, at)
	case folded == Variables:
		return w.each(value, at, func(string) bool { return true })
	case name != "" && Headers(name):
		return w.each(value, at, func(header string) bool { return !w.masker.OpenHeader(header) })
	}
	return w.value(value, at)
}

func (w *walk) value(value any, at string) any {
	if w.hide[at] {
		return w.whole(value, at)
	}
	switch value := value.(type) {
	case string:
		masked, found := w.masker.Text(value)
		if len(found) > 0 {
			w.changed = append(w.changed, at)
		}
		return masked
	case map[string]any:
		return w.object(value, at)
	case []any:
		return w.list(value, at)
	}
	return value
}

// list hides parts of a list. In a list of texts, one may be an option and the next its value.
func (w *walk) list(list []any, at string) []any {
	shown := make([]any, len(list))
	words := make([]string, 0, len(list))
	for i, element := range list {
		if text, ok := element.(string); ok {
			words = append(words, text)
		}
		shown[i] = w.value(element, at+"/"+strconv.Itoa(i))
	}
	if len(words) < len(list) {
		return shown
	}
	masked, _ := w.masker.Words(words)
	for i, text := range masked {
		here := at + "/" + strconv.Itoa(i)
		if text != words[i] && !w.hide[here] {
			if shown[i] == list[i] {
				w.changed = append(w.changed, here)
			}
			shown[i] = text
		}
	}
	return shown
}

// each hides the members of an object whose names are closed, and all of anything else.
func (w *walk) each(value any, at string, closed func(string) bool) any {
	object, ok := value.(map[string]any)
	if !ok {
		return w.whole(value, at)
	}
	shown := make(map[string]any, len(object))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		here := at + "/" + escape(name)
		if closed(name) {
			shown[name] = w.whole(object[name], here)
		} else {
			shown[name] = w.value(object[name], here)
		}
	}
	return shown
}

// whole hides a value. Nothing, true and false say nothing.
func (w *walk) whole(value any, at string) any {
	text, ok := value.(string)
	if !ok {
		switch value.(type) {
		case nil, bool:
			return value
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			encoded = []byte("?")
		}
		text = string(encoded)
	}
	w.changed = append(w.changed, at)
	return fmt.Sprintf("[REDACTED: %d chars]", utf8.RuneCountInString(text))
}

// canonical is the one spelling of a JSON pointer.
func canonical(pointer string) string {
	tokens := strings.Split(pointer, "/")
	for i, token := range tokens {
		tokens[i] = escape(strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"))
	}
	return strings.Join(tokens, "/")
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}
