package analyzer

import (
	"gavel"
	"gavel/analyzer/spelling"
)

// webURLs returns the URLs that a web tool would open, in the order of the table. A parameter that is
// not text counts as an unreadable URL or an unknown action.
func (a *Analyzer) webURLs(tool *gavel.ToolFacts, params map[string]any) []gavel.WebURL {
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
	for _, name := range parameters {
		value, present := params[name]
		if !present {
			continue
		}
		text, ok := value.(string)
		if !ok {
			list = append(list, gavel.WebURL{Odd: "a value that is not text"})
			continue
		}
		list = append(list, a.urls.Read(text))
	}
	return list
}
