package lang

import (
	"strings"
)

// strings reads literal strings, one behind the other.
func (p *pythonText) strings() bool {
	for {
		prefix := p.prefix()
		p.at += len(prefix)
		start := p.at
		if !p.literal() {
			return false
		}
		if strings.ContainsAny(prefix, "fF") && !p.formatted(p.text[start+1:p.at-1]) {
			return false
		}
		if p.blanks(); p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"' && p.prefix() == "" {
			return true
		}
	}
}

// prefix returns the letters before a string that come next; "" if there are none.
func (p *pythonText) prefix() string {
	rest := p.text[p.at:]
	letters := rest[:len(rest)-len(strings.TrimLeft(rest, "rRbBfFuU"))]
	if len(letters) > 2 || len(letters) == len(rest) || rest[len(letters)] != '\'' && rest[len(letters)] != '"' {
		return ""
	}
	return letters
}

// literal reads a string on one line, with its quotes. Three quotes would begin another kind.
func (p *pythonText) literal() bool {
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

// formatted reads the expressions in a string. Until python 3.12 none of them has the quotes of the
// string, a backslash or a comment.
func (p *pythonText) formatted(text string) bool {
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
		inner := &pythonText{text: text[at+1:], inside: 1, nested: p.nested + 1, pythonNames: p.pythonNames}
		end := strings.IndexByte(inner.text, '}')
		if end < 0 || strings.ContainsAny(inner.text[:end], "\\#") || !inner.expression() {
			return false
		}
		inner.blanks()
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

// number reads a number without a sign.
func (p *pythonText) number() bool {
	if !p.digits() {
		return false
	}
	if start := p.at; p.take(".") && !p.digits() {
		p.at = start
	}
	return true
}

func (p *pythonText) digits() bool {
	start := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return start < p.at && p.at-start <= maxDigits
}
