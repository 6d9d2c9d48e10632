package shell

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"

	"gavel/analyzer/argv"
)

// value builds the value of one word.
type value struct {
	*walker
	word    Word
	printed []Piece
	bytes   []byte
	// pids has the positions of PIDs in bytes. made counts the parts that are produced at run
	// time, including those.
	pids         []int
	dynamicParts int
	tildeParts   int // how many of them are home directories
	globParts    int // how many of them are names of files
	processParts int // how many of them are process substitutions
	numberParts  int // how many of them are certainly numbers
	// parameterParts is how many of them are parameters, plain how many of those are $name, and
	// cooked how much of bytes the recipe has.
	parameterParts, plainParameters, partsEnd int
	// brace is the position in bytes of the first unquoted {, and braceAt its position in the
	// text; brace is -1 if there is none.
	brace, braceAt int
}

// numbered returns the value with argv.Number in place of each PID, if nothing else is produced
// at run time.
func (v *value) numbered() string {
	if len(v.pids) != v.dynamicParts || bytes.HasPrefix(v.bytes, []byte("-")) {
		return ""
	}
	var text strings.Builder
	seen := 0
	for _, at := range v.pids {
		text.Write(v.bytes[seen:at])
		text.WriteString(argv.Number)
		seen = at
	}
	text.Write(v.bytes[seen:])
	return text.String()
}

// addDynamic records a part whose value is produced at run time.
func (v *value) addDynamic(kind, construct string, start, end int, many bool) {
	if !v.word.Dynamic {
		v.word.Dynamic, v.word.Prefix = true, string(v.bytes)
		v.word.cause = &refusedPart{kind, construct, start, end}
	}
	v.word.MayBeMany = v.word.MayBeMany || many
	v.dynamicParts++
}

// emitSource prints and explains a part of the text as it is.
func (v *value) emitSource(from, to int) {
	v.emit(v.text[from:to])
	v.markUnderstood(from, to)
}

// part is the only switch over the kinds of word part.
func (v *value) part(node syntax.WordPart, from, to int) {
	switch node := node.(type) {
	case *syntax.Lit:
		v.unquoted(from, to)
		v.emitSource(from, to)
	case *syntax.SglQuoted:
		v.single(node, from, to)
		v.emitSource(from, to)
	case *syntax.DblQuoted:
		v.double(node, from, to)
	case *syntax.ParamExp, *syntax.ArithmExp, *syntax.CmdSubst, *syntax.ProcSubst:
		v.expansion(node, from, to, false)
	default:
		v.refusePart(node)
	}
}

// unquoted reads text outside quotes. A backslash quotes the next character.
func (v *value) unquoted(from, to int) {
	for i := from; i < to; i++ {
		c := v.text[i]
		switch c {
		case '\\':
			if i++; i == to {
				v.refuse(kindGuard, "backslash at the end of the text", i-1, i)
				return
			}
			if c = v.text[i]; c == '\n' {
				v.refuse(kindGuard, "line continuation inside a word", i-1, i+1)
			}
		case '*', '?', '[':
			v.addDynamic(kindExpansion, "pathname expansion "+string(c), i, i+1, true)
			v.globParts++
		case '~':
			if n := len(v.bytes); n == 0 || v.bytes[n-1] == '=' || v.bytes[n-1] == ':' {
				v.addDynamic(kindExpansion, "tilde expansion ~", i, i+1, false)
				v.tildeParts++
				if v.word.Prefix == "" {
					v.word.Prefix = "~"
				}
			}
		case '$':
			v.refuse(kindExpansion, "expansion $", i, i+1)
		case '{':
			if v.brace < 0 {
				v.brace, v.braceAt = len(v.bytes), i
			}
		case '#':
			if len(v.bytes) == 0 {
				v.refuse(kindGuard, "word that begins with #", i, i+1)
			}
			v.refuseInZsh(c, i)
		case '=', '^', '!':
			v.refuseInZsh(c, i)
		case ' ', '\t', '\n', '\'', '"', '`', '|', '&', ';', '(', ')', '<', '>':
			v.refuse(kindGuard, "character "+string(c)+" inside a word", i, i+1)
		}
		if c >= utf8.RuneSelf {
			v.refuseLookalike(i)
		}
		v.bytes = append(v.bytes, c)
	}
}

// refuseInZsh refuses what has a meaning only in zsh: = at the start of a word, ^ and # in patterns,
// and ! for history.
func (v *value) refuseInZsh(c byte, i int) {
	if v.variant == syntax.LangZsh && (c != '=' || len(v.bytes) == 0) {
		v.refuse(kindExpansion, "expansion "+string(c), i, i+1)
	}
}

// refuseLookalike refuses an unquoted character beyond ASCII that may look like an operator to a
// reader, as U+037E looks like a semicolon. Letters and digits of any script are accepted.
func (v *value) refuseLookalike(i int) {
	r, width := utf8.DecodeRuneInString(v.text[i:])
	if utf8.RuneStart(v.text[i]) && !unicode.In(r, unicode.L, unicode.M, unicode.Nd) {
		v.refuse(kindGuard, fmt.Sprintf("character U+%04X outside quotes", r), i, i+width)
	}
}

func (v *value) refusePart(part syntax.WordPart) {
	start, end := v.span(part)
	kind, construct := partName(v.text[start:end], part)
	v.refuse(kind, construct, start, end)
}

// braces records a word that a shell might expand: an unquoted { with a comma or two dots
// anywhere after it.
func (v *value) braces() {
	if v.brace < 0 {
		return
	}
	inside := string(v.bytes[v.brace:])
	if !strings.Contains(inside, ",") && !strings.Contains(inside, "..") && !v.word.Dynamic {
		return
	}
	v.addDynamic(kindExpansion, "brace expansion { }", v.braceAt, v.braceAt+1, true)
	v.word.MayBeMany = true
	if before := string(v.bytes[:v.brace]); len(before) < len(v.word.Prefix) {
		v.word.Prefix = before
	}
}
