package decisionlog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/redact"
	"gavel/internal/secrets"
)

// minRepeated is the minimum length, in bytes, of a secret that is redacted wherever it is repeated.
const minRepeated = 4

// secretRedactor redacts text in a document that looks like a secret, and keeps the originals.
type secretRedactor struct {
	masker      *secrets.Masker
	truncations *truncations
	originals   map[string]any // by JSON pointer
	masked      []string       // pointers, in the order of redaction
	found       []string
}

func (h *secretRedactor) record(at string, original any, found []string) {
	if _, recorded := h.originals[at]; !recorded {
		h.originals[at] = original
		h.masked = append(h.masked, at)
	}
	h.found = append(h.found, found...)
}

// document redacts secrets in the facts and the decision, and then repetitions of them: an option's
// value, for example, is also a separate fact.
func (h *secretRedactor) document(doc map[string]any) {
	for _, name := range []string{"input", "result"} {
		if doc[name] != nil {
			doc[name] = h.value(doc[name], "/"+name)
		}
	}
	h.redactRepeats(doc)
}

func (h *secretRedactor) value(node any, at string) any {
	switch node := node.(type) {
	case string:
		return h.text(node, at)
	case map[string]any:
		for _, name := range sortedKeys(node) {
			node[name] = h.member(name, node[name], at+"/"+escape(name))
		}
	case []any:
		if h.stringList(node, at) {
			return node
		}
		for i := range node {
			node[i] = h.value(node[i], at+"/"+strconv.Itoa(i))
		}
	}
	return node
}

func (h *secretRedactor) text(text, at string) string {
	window := h.window(text, at)
	masked, found := h.masker.Text(window)
	if len(found) > 0 {
		h.record(at, text, found)
	}
	return h.dropUnsearched(masked, window, at)
}

// window returns the part of a text that is searched for secrets. It is longer than the part that
// is logged.
func (h *secretRedactor) window(text, at string) string {
	if len(text) > maxText {
		h.truncations.addText(at, text)
	}
	return prefix(text, maxWindow)
}

// dropUnsearched drops the end of a window that was cut, where only part of a secret may be left,
// which is not recognised.
func (h *secretRedactor) dropUnsearched(masked, window, at string) string {
	if trunc := h.truncations.find(at); trunc == nil || trunc.bytes <= len(window) {
		return masked
	}
	return prefix(masked, max(0, len(masked)-maxText/4)) + omitted
}

// stringList redacts secrets in a list of strings, which may be the words of a command. It returns
// false if the list has other elements.
func (h *secretRedactor) stringList(list []any, at string) bool {
	words := make([]string, len(list))
	for i, element := range list {
		text, ok := element.(string)
		if !ok {
			return false
		}
		words[i] = h.window(text, at+"/"+strconv.Itoa(i))
	}
	masked, found := h.masker.Words(words)
	h.found = append(h.found, found...)
	for i := range masked {
		here := at + "/" + strconv.Itoa(i)
		if masked[i] != words[i] {
			h.record(here, list[i], nil)
		}
		list[i] = h.dropUnsearched(masked[i], words[i], here)
	}
	return true
}

// member redacts a value, as a whole if its name is that of a secret. Names are checked in
// parameters and details only: none of Gavel's own names is the name of a secret.
func (h *secretRedactor) member(name string, value any, at string) any {
	if !strings.HasPrefix(at, "/input/tool/params/") && !strings.HasPrefix(at, "/detail/") {
		return h.value(value, at)
	}
	switch {
	case name != "" && redact.Headers(name):
		return h.headers(value, at)
	case h.masker.Name(name):
		return h.all(value, at)
	}
	return h.value(value, at)
}

// all redacts all strings and numbers in a value.
func (h *secretRedactor) all(value any, at string) any {
	switch value := value.(type) {
	case nil, bool:
		return value
	case string:
		if value == "" || value == redacted {
			return value
		}
		h.record(at, value, []string{value})
		return redacted
	case map[string]any:
		for _, name := range sortedKeys(value) {
			value[name] = h.all(value[name], at+"/"+escape(name))
		}
		return value
	case []any:
		for i := range value {
			value[i] = h.all(value[i], at+"/"+strconv.Itoa(i))
		}
		return value
	default:
		h.record(at, value, nil)
		return redacted
	}
}

// headers redacts the values of all headers except those that are known to be harmless.
func (h *secretRedactor) headers(value any, at string) any {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range sortedKeys(value) {
			here := at + "/" + escape(name)
			if h.masker.OpenHeader(name) {
				value[name] = h.value(value[name], here)
			} else {
				value[name] = h.all(value[name], here)
			}
		}
		return value
	case []any:
		for i := range value {
			value[i] = h.header(value[i], at+"/"+strconv.Itoa(i))
		}
		return value
	case string:
		return h.headerLines(value, at)
	default:
		return h.value(value, at)
	}
}

// header redacts an element of a list of headers: "Name: value", [name, value],
// {"name": …, "value": …} or {name: value}.
func (h *secretRedactor) header(value any, at string) any {
	switch value := value.(type) {
	case string:
		return h.headerLines(value, at)
	case []any:
		if len(value) == 2 {
			if name, ok := value[0].(string); ok && h.masker.OpenHeader(name) {
				return h.value(value, at)
			}
			value[1] = h.all(value[1], at+"/1")
			return value
		}
	case map[string]any:
		for _, name := range sortedKeys(value) {
			if folded := redact.Plain(name); folded != "name" && folded != "key" && !h.masker.OpenHeader(name) {
				value[name] = h.all(value[name], at+"/"+escape(name))
			}
		}
		return value
	}
	return h.value(value, at)
}

// headerLines redacts the values in lines of "Name: value".
func (h *secretRedactor) headerLines(text, at string) any {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name, value, cut := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); cut && value != "" && !h.masker.OpenHeader(name) {
			lines[i] = name + ": " + redacted
			h.record(at, text, []string{value})
		}
	}
	return h.text(strings.Join(lines, "\n"), at)
}

// redactRepeats redacts the secrets that were found wherever a fact repeats part of a command
// without its context: the value of an option, or a message that quotes it. It does not change the
// command and its words: otherwise the author of a call could hide the name of a program by also
// using it as a secret.
func (h *secretRedactor) redactRepeats(doc map[string]any) {
	h.found = slices.DeleteFunc(h.found, func(secret string) bool { return len(secret) < minRepeated || secret == redacted })
	if len(h.found) == 0 {
		return
	}
	slices.SortFunc(h.found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	h.found = slices.Compact(h.found)
	h.repeatsIn(member(doc["input"], "exec"), "/input/exec", "")
	h.repeatsIn(member(doc["result"], "reasons"), "/result/reasons", "")
	h.repeatsIn(member(member(doc["result"], "exec"), "offer"), "/result/exec/offer", "")
}

// quotesCommand reports whether a member of facts, reasons or offers repeats part of a command.
func quotesCommand(name, at string) bool {
	switch name {
	case "argument", "value", "text", "message", "option", "flags", "args", "admits":
		return true
	case "path", "real": // of a file that an operand names
		return strings.Contains(at, "/operands/") || strings.Contains(at, "/hazards/")
	default:
		return name == "argv" && strings.HasPrefix(at, "/result/exec/offer/")
	}
}

func (h *secretRedactor) repeatsIn(node any, at, name string) any {
	switch node := node.(type) {
	case string:
		if !quotesCommand(name, at) {
			return node
		}
		text := node
		for _, secret := range h.found {
			text = strings.ReplaceAll(text, secret, redacted)
		}
		if text != node {
			h.record(at, node, nil)
		}
		return text
	case map[string]any:
		for _, name := range sortedKeys(node) {
			node[name] = h.repeatsIn(node[name], at+"/"+escape(name), name)
		}
	case []any:
		for i := range node {
			node[i] = h.repeatsIn(node[i], at+"/"+strconv.Itoa(i), name)
		}
	}
	return node
}
