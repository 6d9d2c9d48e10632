package lang

import (
	"strings"
)

// parseStrings reads adjacent string literals.
func (p *pythonParser) parseStrings() bool {
	for {
		prefix := p.stringPrefix()
		p.at += len(prefix)
		start := p.at
		if !p.parseLiteral() {
			return false
		}
		if strings.ContainsAny(prefix, "fF") && !p.parseFormatFields(p.text[start+1:p.at-1]) {
			return false
		}
		if p.skipBlanks(); p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' && p.stringPrefix() == "" {
			return true
		}
	}
}

// stringPrefix returns the prefix of the string that comes next, such as rb; "" if there is none. It
// reads nothing.
func (p *pythonParser) stringPrefix() string {
	rest := p.text[p.at:]
	letters := rest[:len(rest)-len(strings.TrimLeft(rest, "rRbBfFuU"))]
	if len(letters) > 2 || len(letters) == len(rest) || rest[len(letters)] != '\'' && rest[len(letters)] != '"' {
		return ""
	}
	return letters
}

// parseLiteral reads a string on one line, with its quotes. Triple quotes are not understood.
func (p *pythonParser) parseLiteral() bool {
	if p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' {
		return false
	}
	quote := p.text[p.at]
	if strings.HasPrefix(p.text[p.at+1:], string(quote)+string(quote)) {
		return false
	}
	for p.at++; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return true
		case c == '\\':
			p.at++
		case c < ' ':
			return false
		}
	}
	return false
}

// parseFormatFields reads the expressions in an f-string. They may have no quotes of the string, no
// backslash and no comment, as before Python 3.12.
func (p *pythonParser) parseFormatFields(text string) bool {
	for text != "" {
		at := strings.IndexAny(text, "{}")
		switch {
		case at < 0:
			return true
		case strings.HasPrefix(text[at:], "{{"), strings.HasPrefix(text[at:], "}}"):
			text = text[at+2:]
			continue
		case text[at] == '}':
			return false
		}
		inner := &pythonParser{text: text[at+1:], brackets: 1, nested: p.nested + 1, pythonNames: p.pythonNames}
		end := strings.IndexByte(inner.text, '}')
		if end < 0 || strings.ContainsAny(inner.text[:end], "\\#") || !inner.parseExpression() {
			return false
		}
		inner.skipBlanks()
		inner.take("=")
		if inner.take("!") && !inner.take("r") && !inner.take("s") && !inner.take("a") {
			return false
		}
		if inner.take(":") {
			inner.at = len(inner.text) - len(strings.TrimLeft(inner.text[inner.at:], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<>^=+-,._% /"))
		}
		if !inner.take("}") {
			return false
		}
		text = inner.text[inner.at:]
	}
	return true
}

// parseNumber reads a number without a sign.
func (p *pythonParser) parseNumber() bool {
	if !p.parseDigits() {
		return false
	}
	if start := p.at; p.take(".") && !p.parseDigits() {
		p.at = start
	}
	return true
}

func (p *pythonParser) parseDigits() bool {
	start := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return start < p.at && p.at-start <= maxDigits
}
