package lang

import (
	"slices"
	"strings"
)

// parseModuleAttribute reads the attributes after the name of a module or function: they must lead to a
// value of the tables, or to a function of the tables with its arguments.
func (p *pythonParser) parseModuleAttribute(path string) bool {
	for {
		start := p.at
		if !p.take(".") {
			break
		}
		name := p.parseName()
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
		return p.parseArguments(pythonKeywords(path))
	default:
		return p.take(".__version__") || p.take(".__file__")
	}
}

// parseOpenCall reads the arguments of open: a literal file name, and a mode for reading.
func (p *pythonParser) parseOpenCall() bool {
	p.skipBlanks()
	if !p.take("(") {
		return false
	}
	p.brackets++
	defer func() { p.brackets-- }()
	p.skipBlanks()
	start := p.at
	if !p.parseLiteral() {
		return false
	}
	name := p.text[start+1 : p.at-1]
	if name == "" || strings.ContainsAny(name, "\\{}") {
		return false
	}
	for p.skipBlanks(); p.take(","); p.skipBlanks() {
		p.skipBlanks()
		if keyword := p.parseKeywordName(); keyword != "" && !slices.Contains([]string{"mode", "encoding", "errors", "newline"}, keyword) {
			return false
		}
		option := p.at
		if !p.parseLiteral() || !slices.Contains([]string{"r", "rb", "rt", "utf-8", "utf8", "UTF-8", "utf-8-sig", "ascii", "latin-1", "ignore", "replace", ""}, p.text[option+1:p.at-1]) {
			return false
		}
	}
	p.files = append(p.files, name)
	return p.take(")")
}

// parseKeywordName reads the name of a keyword argument and its equals sign. It returns "" if there is
// none.
func (p *pythonParser) parseKeywordName() string {
	start := p.at
	name := p.parseName()
	if p.skipBlanks(); name != "" && p.take("=") && !p.peek("=") {
		return name
	}
	p.at = start
	return ""
}

// parseArguments reads the arguments of a call. Only the given keywords are permitted.
func (p *pythonParser) parseArguments(keywords []string) bool {
	p.skipBlanks()
	if !p.take("(") {
		return false
	}
	p.brackets++
	defer func() { p.brackets-- }()
	for p.skipBlanks(); !p.take(")"); p.skipBlanks() {
		if keyword := p.parseKeywordName(); keyword != "" {
			if !slices.Contains(keywords, keyword) || !p.parseKeywordValue(keyword) {
				return false
			}
		} else if p.take("*"); p.peek("*") || !p.parseExpression() || !p.parseComprehension() {
			return false
		}
		if p.skipBlanks(); !p.take(",") && !p.peek(")") {
			return false
		}
	}
	return true
}

// parseKeywordValue reads the value of a keyword argument.
func (p *pythonParser) parseKeywordValue(keyword string) bool {
	if keyword == "default" && p.takeWord("str") {
		return true
	}
	return p.parseExpression()
}
