package lang

import (
	"slices"
	"strings"
)

// expressions reads expressions with commas between them.
func (p *pythonText) expressions() bool {
	for p.expression() {
		if p.blanks(); !p.take(",") {
			return true
		}
		if p.blanks(); p.at == len(p.text) || strings.IndexByte(")]}:=;\n", p.text[p.at]) >= 0 {
			return true // a comma may end them
		}
	}
	return false
}

// expression reads one, with conditions, comparisons and sums.
func (p *pythonText) expression() bool {
	p.nested++
	defer func() { p.nested-- }()
	if p.nested > maxNested {
		return false
	}
	if p.word("lambda") {
		return p.lambda()
	}
	for {
		for p.word("not") || p.sign() {
		}
		if !p.primary() {
			return false
		}
		if p.word("if") { // a value, unless something else is true
			return p.expression() && p.word("else") && p.expression()
		}
		if !p.operator() {
			return true
		}
	}
}

// sign reads a sign before a value.
func (p *pythonText) sign() bool {
	p.blanks()
	return p.take("-")
}

// operator reads what may be between two values. Two stars would compute numbers of any size.
func (p *pythonText) operator() bool {
	switch {
	case p.word("and"), p.word("or"), p.word("in"):
		return true
	case p.word("is"):
		p.word("not")
		return true
	}
	start := p.at
	if p.word("not") && p.word("in") {
		return true
	}
	p.at = start
	p.blanks()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">", "+", "-", "//", "/", "%", "*"} {
		if p.take(operator) {
			return !p.peek("=") && !p.peek("<") && !p.peek(">") && !p.peek("*")
		}
	}
	p.at = start
	return false
}

func (p *pythonText) lambda() bool {
	p.blanks()
	return (p.peek(":") || p.targets()) && p.colon() && p.expression()
}

func (p *pythonText) colon() bool {
	p.blanks()
	return p.take(":")
}

// primary reads a value with what is behind it: elements of it, and methods.
func (p *pythonText) primary() bool {
	if p.blanks(); !p.atom() {
		return false
	}
	for {
		switch {
		case p.peek("["):
			if !p.subscript() {
				return false
			}
		case p.take("."):
			method := p.name()
			p.mutates = p.mutates || slices.Contains(pythonMutators(), method)
			if !slices.Contains(pythonMethods(), method) && !slices.Contains(pythonMutators(), method) || !p.arguments(pythonKeywords(".")) {
				return false
			}
		default:
			return !p.peek("(") && !p.peek(" (") // nothing is called that has no name in the table
		}
	}
}

// atom reads a literal, a variable, something in brackets, or a call of a function in the table.
func (p *pythonText) atom() bool {
	if p.at == len(p.text) {
		return false
	}
	switch c := p.text[p.at]; {
	case c == '(' || c == '[' || c == '{':
		return p.display(c)
	case c == '\'' || c == '"' || p.prefix() != "":
		return p.strings()
	case '0' <= c && c <= '9':
		return p.number()
	}
	name := p.name()
	switch {
	case name == "":
		return false
	case slices.Contains([]string{"True", "False", "None"}, name):
		return true
	case p.modules[name] != "":
		return p.module(p.modules[name])
	case name == "open":
		return p.open()
	case name == "type":
		return p.arguments(nil) && p.take(".__name__")
	case slices.Contains(pythonTypes(), name) && !p.peek("("):
		return true
	case slices.Contains(pythonBuiltins(), name):
		return p.arguments(pythonKeywords(name))
	default:
		return p.variable(name)
	}
}

// subscript reads an element or a part, in brackets.
func (p *pythonText) subscript() bool {
	if !p.take("[") {
		return false
	}
	p.inside++
	defer func() { p.inside-- }()
	for p.blanks(); !p.take("]"); p.blanks() {
		if !p.take(":") && !p.take(",") && !p.expression() {
			return false
		}
	}
	return true
}

// display reads a value in brackets: a tuple, a list, a map, a set or a comprehension.
func (p *pythonText) display(open byte) bool {
	p.at++
	p.inside++
	defer func() { p.inside-- }()
	end := map[byte]string{'(': ")", '[': "]", '{': "}"}[open]
	for p.blanks(); !p.take(end); p.blanks() {
		p.take("*")
		if !p.expression() {
			return false
		}
		if p.blanks(); open == '{' && p.take(":") && !p.expression() || !p.comprehended() {
			return false
		}
		if p.blanks(); !p.take(",") && !p.peek(end) {
			return false
		}
	}
	return true
}

// comprehended reads the rest of a comprehension, if there is one.
func (p *pythonText) comprehended() bool {
	for p.word("for") {
		if !p.targets() || !p.word("in") || !p.alternative() {
			return false
		}
		for p.word("if") {
			if !p.alternative() {
				return false
			}
		}
	}
	return true
}

// alternative reads an expression behind which if begins a condition of the comprehension.
func (p *pythonText) alternative() bool {
	for {
		for p.word("not") || p.sign() {
		}
		if !p.primary() {
			return false
		}
		if !p.operator() {
			return true
		}
	}
}
