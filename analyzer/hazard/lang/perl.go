package lang

import (
	"strings"

	"gavel/analyzer/spelling"
)

// plainPerl reports whether a perl program consists only of substitutions and transliterations
// whose patterns and texts contain no code: no variable, because its subscript would be an
// expression; no block of code in a pattern; no property, because it may be a subroutine; and no
// flag except g, i, m and s. A program that is not understood is not plain.
func plainPerl(program string) bool {
	p := &perlProgram{cursor{text: program}}
	for done := false; p.at < len(p.text); done = true {
		p.skip(" \t")
		if done && !p.separator() {
			return false
		}
		p.skip(" \t\n;")
		if p.at < len(p.text) && !p.statement() {
			return false
		}
	}
	return strings.Trim(program, " \t\n;") != ""
}

type perlProgram struct{ cursor }

// separator reports whether a statement may end here. A line end alone does not end one.
func (p *perlProgram) separator() bool {
	return p.at == len(p.text) || p.text[p.at] == ';' || strings.Trim(p.text[p.at:], " \t\n;") == ""
}

// statement reads s, tr or y with its parts. Only few delimiters are accepted: a bracket nests, a
// quote changes how the inside is read, and a colon after a name makes it a package name.
func (p *perlProgram) statement() bool {
	command := ""
	for _, name := range []string{"tr", "y", "s"} {
		if strings.HasPrefix(p.text[p.at:], name) {
			command = name
			break
		}
	}
	p.at += len(command)
	if command == "" || p.at == len(p.text) || strings.IndexByte("/|,#!", p.text[p.at]) < 0 {
		return false
	}
	delimiter := p.text[p.at]
	p.at++
	first, ok := p.delimited(delimiter)
	second, closed := p.delimited(delimiter)
	if !ok || !closed || !plainPerlText(second) {
		return false
	}
	if command == "s" {
		p.skip("gims")
		return plainPerlPattern(first)
	}
	p.skip("cds")
	return plainPerlText(first)
}

// delimited reads printable ASCII text up to an unescaped delimiter.
func (p *perlProgram) delimited(delimiter byte) (string, bool) {
	for start := p.at; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == delimiter:
			p.at++
			return p.text[start : p.at-1], true
		case c == '\\':
			p.at++
			if p.at == len(p.text) || p.text[p.at] < ' ' || p.text[p.at] > '~' {
				return "", false
			}
		case c < ' ' || c > '~':
			return "", false
		}
	}
	return "", false
}

// plainPerlText reports whether a text contains no variable, and no escape except those of single
// characters and punctuation. \1 is a variable too, and may have a subscript.
func plainPerlText(text string) bool {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '$', '@':
			return false
		case '\\':
			if i++; spelling.NameByte(text[i]) && strings.IndexByte("nrtf", text[i]) < 0 {
				return false
			}
		}
	}
	return true
}

// plainPerlPattern reports whether a pattern contains no variable and no code. A dollar sign at the end
// or before ) or | is an anchor. Groups must not have names, and braces may contain only numbers.
func plainPerlPattern(text string) bool {
	for i := 0; i < len(text); i++ {
		rest := text[i+1:]
		switch text[i] {
		case '@':
			return false
		case '$':
			if rest != "" && rest[0] != ')' && rest[0] != '|' {
				return false
			}
		case '\\':
			i++
			if letter(rest[0]) && strings.IndexByte("sSdDwWbBAzZnrtfhHK", rest[0]) < 0 {
				return false
			}
		case '(':
			if strings.HasPrefix(rest, "*") || strings.HasPrefix(rest, "?") && !plainPerlGroup(rest[1:]) {
				return false
			}
		case '{':
			inside, _, closed := strings.Cut(rest, "}")
			if !closed || strings.Trim(inside, "0123456789,") != "" {
				return false
			}
		}
	}
	return true
}

func plainPerlGroup(text string) bool {
	for _, kind := range []string{":", "=", "!", "<=", "<!"} {
		if strings.HasPrefix(text, kind) {
			return true
		}
	}
	return false
}

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
