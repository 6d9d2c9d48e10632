package analyzer

import (
	"maps"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/spelling"
)

// webURLs returns the URLs that a web tool would open: those of its parameters in the order of the
// table, and then those that other parameters may hold, in alphabetical order. A parameter that is not
// text counts as an unreadable URL or an unknown action.
func (a *Analyzer) webURLs(env *environment, tool *gavel.ToolFacts, params map[string]any) []gavel.WebURL {
	list := []gavel.WebURL{}
	parameters, known := a.config.Tables.Tools.URLs[tool.Name]
	if !known {
		return list
	}
	for name := range params {
		tool.Parameters = append(tool.Parameters, name)
	}
	tool.Parameters = spelling.Tidy(tool.Parameters)
	if value, present := params["action"]; present {
		text, ok := value.(string)
		if !ok {
			text = "?"
		}
		tool.Action = gavel.Fold(text)
	}
	others := maps.Clone(params)
	for _, name := range parameters {
		value, present := params[name]
		if !present {
			continue
		}
		delete(others, name)
		text, ok := value.(string)
		if !ok {
			list = append(list, gavel.WebURL{Odd: "a value that is not text"})
			continue
		}
		list = append(list, a.urls.Read(text))
	}
	return append(list, a.otherURLs(env, parameters, others)...)
}

// otherURLs returns the URLs in parameters that are not in the table, because a tool may read another
// spelling or name. A text counts if it begins as a URL does, unless it is content, or if the name of its
// parameter says that it is a URL.
func (a *Analyzer) otherURLs(env *environment, parameters []string, others map[string]any) (list []gavel.WebURL) {
	tables := a.config.Tables.Tools
	is := func(name string, names []string) bool {
		return slices.ContainsFunc(names, func(known string) bool { return foldParameter(known) == foldParameter(name) })
	}
	left := maxTexts
	env.eachText("", others, maxDepth, &left, func(name, text string) {
		text = strings.TrimSpace(text)
		named := is(name, parameters) || is(name, tables.URLNames)
		if text != "" && (named || beginsAsURL(text) && !is(name, tables.Contents)) {
			list = append(list, a.urls.Read(text))
		}
	})
	return list
}

// beginsAsURL reports whether a text is one word that begins with a scheme and two slashes, which parsers
// also take the other way round.
func beginsAsURL(text string) bool {
	scheme, rest, found := strings.Cut(text, ":")
	return found && len(rest) > 1 && strings.Trim(rest[:2], `/\`) == "" && !strings.ContainsAny(text, " \t\n") &&
		scheme != "" && !strings.ContainsFunc(scheme, func(r rune) bool {
		return r != '+' && r != '-' && r != '.' && (r < '0' || r > '9') && (r|0x20 < 'a' || r|0x20 > 'z')
	})
}
