package lang

import (
	"slices"
	"strings"
)

// module reads what is taken from a module: a function of the table and its arguments, or a value.
func (p *pythonText) module(path string) bool {
	for {
		start := p.at
		if !p.take(".") {
			break
		}
		name := p.name()
		if name == "" || !pythonKnown(path+"."+name) {
			p.at = start
			break
		}
		path += "." + name
	}
	p.path = p.path || path == "sys.path"
	switch {
	case slices.Contains(pythonValues(), path):
		return true
	case slices.Contains(pythonFunctions(), path):
		return p.arguments(pythonKeywords(path))
	default:
		return p.take(".__version__") || p.take(".__file__")
	}
}

// open reads the arguments of open: a file by its name, for reading.
func (p *pythonText) open() bool {
	p.blanks()
	if !p.take("(") {
		return false
	}
	p.inside++
	defer func() { p.inside-- }()
	p.blanks()
	start := p.at
	if !p.literal() {
		return false
	}
	name := p.text[start+1 : p.at-1]
	if name == "" || strings.ContainsAny(name, "\\{}") {
		return false
	}
	for p.blanks(); p.take(","); p.blanks() {
		p.blanks()
		if keyword := p.keyword(); keyword != "" && !slices.Contains([]string{"mode", "encoding", "errors", "newline"}, keyword) {
			return false
		}
		option := p.at
		if !p.literal() || !slices.Contains([]string{"r", "rb", "rt", "utf-8", "utf8", "UTF-8", "utf-8-sig", "ascii", "latin-1", "ignore", "replace", ""}, p.text[option+1:p.at-1]) {
			return false
		}
	}
	p.files = append(p.files, name)
	return p.take(")")
}

// keyword reads the name of an argument and the sign behind it; "" if there is none.
func (p *pythonText) keyword() string {
	start := p.at
	name := p.name()
	if p.blanks(); name != "" && p.take("=") && !p.peek("=") {
		return name
	}
	p.at = start
	return ""
}

// arguments reads the arguments of a call, with these keywords only.
func (p *pythonText) arguments(keywords []string) bool {
	p.blanks()
	if !p.take("(") {
		return false
	}
	p.inside++
	defer func() { p.inside-- }()
	for p.blanks(); !p.take(")"); p.blanks() {
		if keyword := p.keyword(); keyword != "" {
			if !slices.Contains(keywords, keyword) || !p.given(keyword) {
				return false
			}
		} else if p.take("*"); p.peek("*") || !p.expression() || !p.comprehended() {
			return false
		}
		if p.blanks(); !p.take(",") && !p.peek(")") {
			return false
		}
	}
	return true
}

// given reads the value of a keyword.
func (p *pythonText) given(keyword string) bool {
	if keyword == "default" && p.word("str") {
		return true
	}
	return p.expression()
}
