package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// typeOrTitle is what the schema calls a value, with its article.
func typeOrTitle(schema rawSchema) string {
	if title := schema.string("title"); title != "" {
		return article(title)
	}
	return "a string"
}

// article puts the indefinite article before a title that takes one.
func article(title string) string {
	switch {
	case strings.HasPrefix(title, "any"):
		return title
	case strings.ContainsAny(title[:1], "aeiou"):
		return "an " + title
	}
	return "a " + title
}

// example is the schema's first example in words, where it is a plain value and the title
// gives none.
func example(schema rawSchema) string {
	if strings.Contains(schema.string("title"), "such as") {
		return ""
	}
	given, _ := schema["examples"].([]any)
	if len(given) == 0 {
		return ""
	}
	switch given[0].(type) {
	case []any, map[string]any, bool:
		return ""
	}
	return ", such as " + display(given[0])
}

// unit is what a number counts, where the title says so.
func unit(schema rawSchema) string {
	if _, counted, found := strings.Cut(schema.string("title"), "number of "); found {
		return " " + counted
	}
	return ""
}

// typeNames describes JSON's types.
func typeNames(types []string) string {
	names := make([]string, len(types))
	for i, name := range types {
		switch name {
		case "array":
			names[i] = "a list"
		case "object":
			names[i] = "a map"
		case "boolean":
			names[i] = "true or false"
		case "integer":
			names[i] = "a whole number"
		default:
			names[i] = "a " + name
		}
	}
	return orList(names)
}

// orList joins words as in a sentence.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// display formats a value of an enumeration.
func display(value any) string {
	if text, ok := value.(string); ok {
		return text
	}
	encoded, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(encoded)
}
