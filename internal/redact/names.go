package redact

import "strings"

// Content tells the parameters whose value is text that a person or a program wrote (R35), by
// their plain names. oldString is another name of oldText.
func Content(folded string) bool {
	switch folded {
	case "content", "contents", "oldtext", "newtext", "oldstring", "newstring", "oldstr", "newstr", "filetext",
		"input", "text", "message", "body", "patch", "diff", "data", "value", "replacement":
		return true
	default:
		return false
	}
}

// Variables is the plain name of the parameter that has the values of variables.
const Variables = "env"

// Plain is a name in its plainest spelling: old_text and OldText are oldtext.
func Plain(name string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.TrimSpace(name)))
}

// Headers tells the members that hold HTTP headers, by their names, which must not be empty.
func Headers(name string) bool {
	last := name[len(name)-1]
	return (last == 's' || last == 'S' || last == ' ' || last == '_' || last == '-') && strings.HasSuffix(Plain(name), "headers")
}
