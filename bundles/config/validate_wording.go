package config

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"gavel"
)

// typeName returns what the schema calls a value, with its article.
func typeName(schema rawSchema) string {
	if title := schema.string("title"); title != "" {
		return article(title)
	}
	return "a string"
}

// article puts the indefinite article before a title, unless it begins with any.
func article(title string) string {
	switch {
	case strings.HasPrefix(title, "any"):
		return title
	case strings.ContainsAny(title[:1], "aeiou"):
		return "an " + title
	}
	return "a " + title
}

// example returns the first example of the schema in words. It returns "" if the example is not a
// scalar, or if the title has an example.
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

// values returns the values of a key that is missing, if it is the only one and the schema lists them.
func values(missing []string, schema rawSchema) string {
	if len(missing) != 1 {
		return ""
	}
	list, _ := schema.part("properties").part(missing[0])["enum"].([]any)
	if len(list) == 0 {
		return ""
	}
	words := make([]string, len(list))
	for i, value := range list {
		words[i] = display(value)
	}
	return ": " + gavel.OneOf(words)
}

// similarPattern returns a pattern of paths that is valid and differs from a text only in how it begins or
// ends, or "".
func similarPattern(given string, schema rawSchema) string {
	valid, err := regexp.Compile(schema.string("pattern"))
	if err != nil || !strings.HasPrefix(schema.string("title"), "pattern of paths") {
		return ""
	}
	meant := strings.TrimSpace(given)
	switch {
	case strings.HasPrefix(meant, "$HOME/"), strings.HasPrefix(meant, "${HOME}/"):
		meant = "~" + meant[strings.IndexByte(meant, '/'):]
	case strings.HasPrefix(meant, "**/"):
		meant = "/" + meant
	case meant != "" && !strings.ContainsAny(meant[:1], "/~.$") && !strings.ContainsAny(meant, `:\`):
		meant = "./" + meant
	}
	if len(meant) > 1 && strings.HasSuffix(meant, "/") {
		meant += "**"
	}
	if meant == given || !valid.MatchString(meant) {
		return ""
	}
	return meant
}

// unit returns what a number counts, if the title says so.
func unit(schema rawSchema) string {
	if _, counted, problems := strings.Cut(schema.string("title"), "number of "); problems {
		return " " + counted
	}
	return ""
}

// typeNames describes types of JSON Schema in words.
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
	return gavel.OneOf(names)
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
