package approvalapi

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// commandMatches reports whether a command is another form of argv: the same words, quoted in any
// way, or the text that argv passes to a shell with -c.
func commandMatches(command string, argv []string) bool {
	if command == strings.Join(argv, " ") && !strings.ContainsAny(command, "'\"\\$`;&|<>()*?[]{}~#!\n") {
		return len(strings.Fields(command)) == len(argv)
	}
	if len(argv) == 3 && isInlineOption(argv[1]) && strings.TrimSpace(argv[2]) == command {
		return true
	}
	words, ok := literalWords(command)
	return ok && slices.Equal(words, argv)
}

// isInlineOption reports whether an option of a shell makes it run the next word, and has no other
// effect on that: -c and -lc.
func isInlineOption(option string) bool { return option == "-c" || option == "-lc" }

// literalWords returns the words of a text that is one command of literal words.
func literalWords(text string) (words []string, ok bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(text), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	stmt := file.Stmts[0]
	call, isCall := stmt.Cmd.(*syntax.CallExpr)
	if !isCall || len(call.Assigns) > 0 || len(stmt.Redirs) > 0 || stmt.Negated || stmt.Background {
		return nil, false
	}
	for _, word := range call.Args {
		text, ok := literalWord(word.Parts, false)
		if !ok {
			return nil, false
		}
		words = append(words, text)
	}
	return words, true
}

// literalWord returns the text of a word without expansions.
func literalWord(parts []syntax.WordPart, quoted bool) (string, bool) {
	var b strings.Builder
	for _, part := range parts {
		switch part := part.(type) {
		case *syntax.Lit:
			if !quoted && strings.ContainsAny(part.Value, "*?[]{}~") {
				return "", false
			}
			b.WriteString(unescaped(part.Value, quoted))
		case *syntax.SglQuoted:
			if part.Dollar {
				return "", false
			}
			b.WriteString(part.Value)
		case *syntax.DblQuoted:
			inner, ok := literalWord(part.Parts, true)
			if !ok || part.Dollar || quoted {
				return "", false
			}
			b.WriteString(inner)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// unescaped returns a literal without its backslashes.
func unescaped(text string, quoted bool) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) && (!quoted || strings.IndexByte("\"\\$`", text[i+1]) >= 0) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String()
}
