package lang

import (
	"slices"
	"strings"
)

// parseExpressions reads expressions separated by commas.
func (p *pythonParser) parseExpressions() bool {
	for p.parseExpression() {
		if p.skipBlanks(); !p.take(",") {
			return true
		}
		if p.skipBlanks(); p.at == len(p.text) || strings.IndexByte(")]}:=;\n", p.text[p.at]) >= 0 {
			return true // a trailing comma
		}
	}
	return false
}

// parseExpression reads one expression, such as a condition, a comparison or a sum.
func (p *pythonParser) parseExpression() bool {
	p.nested++
	defer func() { p.nested-- }()
	if p.nested > maxNested {
		return false
	}
	if p.takeWord("lambda") {
		return p.parseLambda()
	}
	for {
		for p.takeWord("not") || p.takeMinus() {
		}
		if !p.parsePrimary() {
			return false
		}
		if p.takeWord("if") { // a conditional expression
			return p.parseExpression() && p.takeWord("else") && p.parseExpression()
		}
		if !p.takeOperator() {
			return true
		}
	}
}

// takeMinus reads a minus sign, if it comes next.
func (p *pythonParser) takeMinus() bool {
	p.skipBlanks()
	return p.take("-")
}

// takeOperator reads a binary operator, if one comes next. ** is not permitted, because it could compute
// numbers of any size.
func (p *pythonParser) takeOperator() bool {
	switch {
	case p.takeWord("and"), p.takeWord("or"), p.takeWord("in"):
		return true
	case p.takeWord("is"):
		p.takeWord("not")
		return true
	}
	start := p.at
	if p.takeWord("not") && p.takeWord("in") {
		return true
	}
	p.at = start
	p.skipBlanks()
	for _, operator := range []string{"==", "!=", "<=", ">=", "<", ">", "+", "-", "//", "/", "%", "*"} {
		if p.take(operator) {
			return !p.peek("=") && !p.peek("<") && !p.peek(">") && !p.peek("*")
		}
	}
	p.at = start
	return false
}

func (p *pythonParser) parseLambda() bool {
	p.skipBlanks()
	return (p.peek(":") || p.parseTargets()) && p.takeColon() && p.parseExpression()
}

func (p *pythonParser) takeColon() bool {
	p.skipBlanks()
	return p.take(":")
}

// parsePrimary reads a value with its subscripts and method calls.
func (p *pythonParser) parsePrimary() bool {
	if p.skipBlanks(); !p.parseAtom() {
		return false
	}
	for {
		switch {
		case p.peek("["):
			if !p.parseSubscript() {
				return false
			}
		case p.take("."):
			method := p.parseName()
			p.mutates = p.mutates || slices.Contains(pythonMutators(), method)
			if !slices.Contains(pythonMethods(), method) && !slices.Contains(pythonMutators(), method) || !p.parseArguments(pythonKeywords(".")) {
				return false
			}
		default:
			return !p.peek("(") && !p.peek(" (") // only functions of the tables may be called
		}
	}
}

// parseAtom reads a literal, a variable, an expression in brackets, or a call of a function in the
// tables.
func (p *pythonParser) parseAtom() bool {
	if p.at == len(p.text) {
		return false
	}
	switch c := p.text[p.at]; {
	case c == '(' || c == '[' || c == '{':
		return p.parseDisplay(c)
	case c == '\'' || c == '"' || p.stringPrefix() != "":
		return p.parseStrings()
	case '0' <= c && c <= '9':
		return p.parseNumber()
	}
	name := p.parseName()
	switch {
	case name == "":
		return false
	case slices.Contains([]string{"True", "False", "None"}, name):
		return true
	case p.modules[name] != "":
		return p.parseModuleAttribute(p.modules[name])
	case name == "open":
		return p.parseOpenCall()
	case name == "type":
		return p.parseArguments(nil) && p.take(".__name__")
	case slices.Contains(pythonTypes(), name) && !p.peek("("):
		return true
	case slices.Contains(pythonBuiltins(), name):
		return p.parseArguments(pythonKeywords(name))
	default:
		return p.useVariable(name)
	}
}

// parseSubscript reads an index or a slice, in brackets.
func (p *pythonParser) parseSubscript() bool {
	if !p.take("[") {
		return false
	}
	p.brackets++
	defer func() { p.brackets-- }()
	for p.skipBlanks(); !p.take("]"); p.skipBlanks() {
		if !p.take(":") && !p.take(",") && !p.parseExpression() {
			return false
		}
	}
	return true
}

// parseDisplay reads a tuple, list, dict, set or comprehension in brackets.
func (p *pythonParser) parseDisplay(open byte) bool {
	p.at++
	p.brackets++
	defer func() { p.brackets-- }()
	end := map[byte]string{'(': ")", '[': "]", '{': "}"}[open]
	for p.skipBlanks(); !p.take(end); p.skipBlanks() {
		p.take("*")
		if !p.parseExpression() {
			return false
		}
		if p.skipBlanks(); open == '{' && p.take(":") && !p.parseExpression() || !p.parseComprehension() {
			return false
		}
		if p.skipBlanks(); !p.take(",") && !p.peek(end) {
			return false
		}
	}
	return true
}

// parseComprehension reads the for and if clauses of a comprehension, if there are any.
func (p *pythonParser) parseComprehension() bool {
	for p.takeWord("for") {
		if !p.parseTargets() || !p.takeWord("in") || !p.parseDisjunction() {
			return false
		}
		for p.takeWord("if") {
			if !p.parseDisjunction() {
				return false
			}
		}
	}
	return true
}

// parseDisjunction reads an expression without a conditional, so that a following if begins a clause of
// the comprehension.
func (p *pythonParser) parseDisjunction() bool {
	for {
		for p.takeWord("not") || p.takeMinus() {
		}
		if !p.parsePrimary() {
			return false
		}
		if !p.takeOperator() {
			return true
		}
	}
}
