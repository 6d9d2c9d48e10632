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
func (e *environment) touches(facts *gavel.Facts, credential bool) []gavel.Touch {
	list := []gavel.Touch{}
	for _, r := range facts.Resources {
		full := e.Absolute(r.Given, e.Facts.Cwd)
		if full == "" {
			continue
		}
		if t, ok := e.Touch(r.Access, r.Given, full, ""); ok && (!t.Holds || !r.File || r.Access == "write") {
			list = append(list, t)
		}
	}
	if len(facts.Resources) > 0 {
		return list
	}
	left := maxTexts
	params := facts.Tool.Params
	if credential { // these two are set by the daemon, not by the agent
		params = maps.Clone(params)
		delete(params, "caller")
		delete(params, "binary")
	}
	e.eachText("", params, maxDepth, &left, func(name, text string) {
		if t, ok := e.textTouch(name, text); ok && len(list) < site.MaxTouches {
			list = append(list, t)
		}
	})
	return list
}

// textTouch returns what one text in the parameters of an unknown tool touches. name is the name of
// the parameter.
func (e *environment) textTouch(name, text string) (gavel.Touch, bool) {
	text = strings.TrimSpace(text)
	if text == "" || strings.ContainsAny(text, " \t\n") {
		return gavel.Touch{}, false
	}
	if kind, address := e.Protected.Connects([]string{text}, e.Protected.NamesHost(name)); kind != "" {
		return gavel.Touch{Kind: kind, Access: "connect", Given: text, Real: address}, true
	}
	for part := range hazard.Parts(text) {
		if full := e.Absolute(part, e.Facts.Cwd); full != "" && strings.Contains(part, "/") {
			if t, ok := e.Touch("write", part, full, ""); ok && !t.Holds {
				return t, true
			}
		}
	}
	return gavel.Touch{}, false
}

// eachText calls each for every text in a value, with the name of the nearest enclosing member. It
// records an exceeded limit if the value has too many texts or is nested too deeply.
func (e *environment) eachText(name string, value any, depth int, left *int, each func(name, text string)) {
	if depth == 0 || *left == 0 || e.Host.TimedOut() {
		e.Host.ExceedLookups()
		return
	}
	switch value := value.(type) {
	case string:
		*left--
		each(name, value)
	case []any:
		for _, element := range value {
			e.eachText(name, element, depth-1, left, each)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			e.eachText(key, value[key], depth-1, left, each)
		}
	}
}
