package analyzer

import "strings"

// render prints a script so that every shell reads it as the script was read:
// each word in single quotes, each program by its pinned path, and the operators
// as they were. It returns "" when a program was not found.
//
// A script is and-or lists of pipelines, without grouping; printing its commands
// and operators in order therefore keeps its structure.
func render(script script, programs []Program) string {
	size := 0
	for i, c := range script.commands {
		size += len(programs[i].Real) + len(c.joint)
		for _, word := range c.argv {
			size += len(word) + len(`'' `)
		}
	}
	var text strings.Builder
	text.Grow(size)
	for i, c := range script.commands {
		if programs[i].Real == "" {
			return ""
		}
		quote(&text, programs[i].Real)
		for _, word := range c.argv[1:] {
			text.WriteByte(' ')
			quote(&text, word)
		}
		text.WriteString(c.joint)
	}
	return text.String()
}

// quote writes a word in single quotes. A quote inside stands between them.
func quote(text *strings.Builder, word string) {
	text.WriteByte('\'')
	for {
		before, after, found := strings.Cut(word, "'")
		text.WriteString(before)
		if !found {
			break
		}
		text.WriteString(`'\''`)
		word = after
	}
	text.WriteByte('\'')
}
