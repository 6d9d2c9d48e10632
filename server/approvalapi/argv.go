package approvalapi

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// consistent reports whether a command says the same as the words that run: it is these
// words, quoted in any way, or the text that they give to a shell.
func consistent(command string, argv []string) bool {
	if command == strings.Join(argv, " ") && !strings.ContainsAny(command, "'\"\\$`;&|<>()*?[]{}~#!\n") {
		return len(strings.Fields(command)) == len(argv)
	}
	if len(argv) == 3 && inline(argv[1]) && strings.TrimSpace(argv[2]) == command {
		return true
	}
	words, ok := literal(command)
	return ok && slices.Equal(words, argv)
}

// inline reports whether an option of a shell makes the next word what it runs, and
// nothing else of it: -c and -lc.
func inline(option string) bool { return option == "-c" || option == "-lc" }

// literal are the words of a text that is one command of literal words.
func literal(text string) (words []string, ok bool) {
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

// literalWord is the text of a word without expansions.
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

// unescaped is a literal without its backslashes.
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
