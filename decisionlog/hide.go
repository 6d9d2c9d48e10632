package decisionlog

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/redact"
	"gavel/internal/secrets"
)

// minRepeated is the length from which a secret is also looked for in other texts.
const minRepeated = 4

// hider hides text that looks like a secret in a document, and remembers the original.
type hider struct {
	masker *secrets.Masker
	cuts   *cuts
	was    map[string]any // by JSON pointer, of what it changed
	masked []string       // the pointers, in order
	found  []string
}

func (h *hider) changed(at string, was any, found []string) {
	if _, again := h.was[at]; !again {
		h.was[at] = was
		h.masked = append(h.masked, at)
	}
	h.found = append(h.found, found...)
}

// document hides secrets in what an event says about a call, and then the same texts
// elsewhere: an option's value is also a fact of its own.
func (h *hider) document(doc map[string]any) {
	for _, name := range []string{"input", "result"} {
		if doc[name] != nil {
			doc[name] = h.value(doc[name], "/"+name)
		}
	}
	h.repeats(doc)
}

func (h *hider) value(node any, at string) any {
	switch node := node.(type) {
	case string:
		return h.text(node, at)
	case map[string]any:
		for _, name := range sorted(node) {
			node[name] = h.member(name, node[name], at+"/"+escape(name))
		}
	case []any:
		if h.words(node, at) {
			return node
		}
		for i := range node {
			node[i] = h.value(node[i], at+"/"+strconv.Itoa(i))
		}
	}
	return node
}

// text hides secrets in a text.
func (h *hider) text(text, at string) string {
	window := h.window(text, at)
	masked, found := h.masker.Text(window)
	if len(found) > 0 {
		h.changed(at, text, found)
	}
	return h.end(masked, window, at)
}

// window is the part of a text that is searched: more than what is kept.
func (h *hider) window(text, at string) string {
	if len(text) > maxText {
		h.cuts.text(at, text)
	}
	return prefix(text, maxWindow)
}

// end drops the end of a window, where a secret may be cut in half and not recognised.
func (h *hider) end(masked, window, at string) string {
	if was := h.cuts.at(at); was == nil || was.Bytes <= len(window) {
		return masked
	}
	return prefix(masked, max(0, len(masked)-maxText/4)) + omitted
}

// words hides secrets in a list of texts, each of which may be an option for the next.
func (h *hider) words(list []any, at string) bool {
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
			h.changed(here, list[i], nil)
		}
		list[i] = h.end(masked[i], words[i], here)
	}
	return true
}

// member hides values that are secrets by name. Facts have their own names, none of which
// suggests a secret.
func (h *hider) member(name string, value any, at string) any {
	if !strings.HasPrefix(at, "/input/tool/params/") && !strings.HasPrefix(at, "/detail/") {
		return h.value(value, at)
	}
	switch {
	case name != "" && redact.Headers(name):
		return h.headers(value, at)
	case h.masker.Name(name):
		return h.whole(value, at)
	}
	return h.value(value, at)
}

// whole hides all of a value.
func (h *hider) whole(value any, at string) any {
	switch value := value.(type) {
	case nil, bool:
		return value
	case string:
		if value == "" || value == redacted {
			return value
		}
		h.changed(at, value, []string{value})
		return redacted
	case map[string]any:
		for _, name := range sorted(value) {
			value[name] = h.whole(value[name], at+"/"+escape(name))
		}
		return value
	case []any:
		for i := range value {
			value[i] = h.whole(value[i], at+"/"+strconv.Itoa(i))
		}
		return value
	default:
		h.changed(at, value, nil)
		return redacted
	}
}

// headers hides the values of all headers that are unknown to be harmless.
func (h *hider) headers(value any, at string) any {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range sorted(value) {
			here := at + "/" + escape(name)
			if h.masker.OpenHeader(name) {
				value[name] = h.value(value[name], here)
			} else {
				value[name] = h.whole(value[name], here)
			}
		}
		return value
	case []any:
		for i := range value {
			value[i] = h.header(value[i], at+"/"+strconv.Itoa(i))
		}
		return value
	case string:
		return h.lines(value, at)
	default:
		return h.value(value, at)
	}
}

// header hides one element of a list of headers: "Name: value", or [name, value].
func (h *hider) header(value any, at string) any {
	switch value := value.(type) {
	case string:
		return h.lines(value, at)
	case []any:
		if len(value) == 2 {
			if name, ok := value[0].(string); ok && h.masker.OpenHeader(name) {
				return h.value(value, at)
			}
			value[1] = h.whole(value[1], at+"/1")
			return value
		}
	case map[string]any:
		for _, name := range sorted(value) { // {"name": …, "value": …}, or {name: value}
			if folded := redact.Plain(name); folded != "name" && folded != "key" && !h.masker.OpenHeader(name) {
				value[name] = h.whole(value[name], at+"/"+escape(name))
			}
		}
		return value
	}
	return h.value(value, at)
}

// lines hides the values in lines of "Name: value".
func (h *hider) lines(text, at string) any {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		name, value, cut := strings.Cut(line, ":")
		if value = strings.TrimSpace(value); cut && value != "" && !h.masker.OpenHeader(name) {
			lines[i] = name + ": " + redacted
			h.changed(at, text, []string{value})
		}
	}
	return h.text(strings.Join(lines, "\n"), at)
}

// repeats hides known secrets where a fact repeats part of a command without its context: the
// value of an option, or a message that quotes it. The command and its words are not changed:
// otherwise an author could hide the name of a program by presenting it as a secret.
func (h *hider) repeats(doc map[string]any) {
	h.found = slices.DeleteFunc(h.found, func(secret string) bool { return len(secret) < minRepeated || secret == redacted })
	if len(h.found) == 0 {
		return
	}
	slices.SortFunc(h.found, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	h.found = slices.Compact(h.found)
	h.repeated(member(doc["input"], "exec"), "/input/exec", "")
	h.repeated(member(doc["result"], "reasons"), "/result/reasons", "")
	h.repeated(member(member(doc["result"], "exec"), "offer"), "/result/exec/offer", "")
}

// repeating lists the members of facts, reasons and offers that repeat parts of a command.
func repeating(name, at string) bool {
	switch name {
	case "argument", "value", "text", "message", "option", "flags", "args", "admits":
		return true
	case "path", "real": // of the file that a word names
		return strings.Contains(at, "/operands/") || strings.Contains(at, "/hazards/")
	default:
		return name == "argv" && strings.HasPrefix(at, "/result/exec/offer/")
	}
}

func (h *hider) repeated(node any, at, name string) any {
	switch node := node.(type) {
	case string:
		if !repeating(name, at) {
			return node
		}
		text := node
		for _, secret := range h.found {
			text = strings.ReplaceAll(text, secret, redacted)
		}
		if text != node {
			h.changed(at, node, nil)
		}
		return text
	case map[string]any:
		for _, name := range sorted(node) {
			node[name] = h.repeated(node[name], at+"/"+escape(name), name)
		}
	case []any:
		for i := range node {
			node[i] = h.repeated(node[i], at+"/"+strconv.Itoa(i), name)
		}
	}
	return node
}
