package analyzer

import (
	"maps"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/site"
)

// Limits on what is examined in the parameters of an unknown tool.
const (
	maxTexts = 16384 // number of texts
	maxDepth = 64    // nesting of objects and lists
)

// touches returns what the parameters of a tool touch. For a file tool, these are its files. For
// any other tool, every text counts that as a whole is a path or an address.
func (p *place) touches(facts *gavel.Facts, credential bool) []gavel.Touch {
	list := []gavel.Touch{}
	for _, r := range facts.Resources {
		full := p.Full(r.Given, p.Facts.Cwd)
		if full == "" {
			continue
		}
		if t, ok := p.Touch(r.Access, r.Given, full, ""); ok && (!t.Holds || !r.File || r.Access == "write") {
			list = append(list, t)
		}
	}
	if len(facts.Resources) > 0 {
		return list
	}
	left := maxTexts
	params := facts.Tool.Params
	if credential { // who asks and what runs are the daemon's words, and nothing that the agent touches
		params = maps.Clone(params)
		delete(params, "caller")
		delete(params, "binary")
	}
	p.strings("", params, maxDepth, &left, func(name, text string) {
		if t, ok := p.textTouch(name, text); ok && len(list) < site.MaxTouches {
			list = append(list, t)
		}
	})
	return list
}

// textTouch returns what one text in the parameters of an unknown tool touches. name is the
// parameter's.
func (p *place) textTouch(name, text string) (gavel.Touch, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text, " \t\n") {
		return gavel.Touch{}, false
	}
	if kind, address := p.Protected.Connects([]string{text}, p.Protected.NamesHost(name)); kind != "" {
		return gavel.Touch{Kind: kind, Access: "connect", Given: text, Real: address}, true
	}
	for part := range hazard.Parts(text) {
		if full := p.Full(part, p.Facts.Cwd); full != "" && strings.Contains(part, "/") {
			if t, ok := p.Touch("write", part, full, ""); ok && !t.Holds {
				return t, true
			}
		}
	}
	return gavel.Touch{}, false
}

// strings calls each for every text in a value, with the name of the nearest member that it is in.
// It reports an exceeded limit if the value has too many.
func (p *place) strings(name string, value any, depth int, left *int, each func(name, text string)) {
	if depth == 0 || *left == 0 || p.Host.Over() {
		p.Host.TooMuch()
		return
	}
	switch value := value.(type) {
	case string:
		*left--
		each(name, value)
	case []any:
		for _, one := range value {
			p.strings(name, one, depth-1, left, each)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			p.strings(key, value[key], depth-1, left, each)
		}
	}
}
