package lang

import (
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/spelling"
)

// PythonText is what a reader found out about a Python program.
type PythonText struct {
	// Plain is true if it only reads standard input and files that it names, computes with strings,
	// numbers, lists and dicts, and prints. Otherwise the other fields are meaningless.
	Plain bool
	// Files are the names of these files, as written.
	Files []string
	// Loads is true if it imports a module whose effects on loading are unknown.
	Loads bool
}

// plainPython reports whether a Python program is plain.
func plainPython(program string) bool { return Python(program).Plain }

// Python reads a Python program. A plain program calls only the functions and methods in the tables of
// python_table.go: it never calls a variable, reads no attribute that is not in the tables, and has no
// name with two underscores. No variable may have the name of a builtin or of an imported module, so a
// variable without a value is an error and never such a function. Therefore only functions in the tables
// can be reached, whatever the values are. A program that is not understood is not plain. The nesting of
// statements does not matter, because each statement is plain by itself.
//
// This says nothing about the files from which modules are loaded: ./json.py may take precedence over
// the standard module. Python 3.13 also imports linecache before any program, and traceback after an
// error.
func Python(program string) PythonText {
	p := &pythonParser{text: strings.TrimRight(program, " \n"), pythonNames: &pythonNames{names: map[string]bool{}, used: map[string]bool{}, modules: map[string]string{}}}
	// Some locales read other characters differently, and a comment may name a codec.
	odd := func(c rune) bool { return c != '\n' && c != '\t' && (c < ' ' || c > '~') }
	if len(program) > maxPython || p.text == "" || strings.ContainsFunc(program, odd) {
		return PythonText{}
	}
	for p.at < len(p.text) {
		if !p.parseLine() {
			return PythonText{}
		}
	}
	if p.path && p.mutates {
		return PythonText{} // the module search path may have been changed
	}
	if !p.does && !p.loads {
		return PythonText{} // its only purpose is to load these modules
	}
	for name := range p.used {
		if !p.names[name] {
			return PythonText{} // a variable that is never set
		}
	}
	return PythonText{Plain: true, Files: p.files, Loads: p.loads}
}

// The limits of a program.
const (
	maxPython = 8192 // bytes
	maxNested = 40   // nested expressions
	maxDigits = 15   // of a number
)

// pythonParser is a recursive-descent parser. Its parse methods return false for text that is not plain
// or not understood; the program is then not plain.
type pythonParser struct {
	text     string
	at       int // the next byte
	brackets int // open brackets, inside which a line end is a blank
	nested   int // nested expressions
	*pythonNames
}

// pythonNames are the names found so far, and what the program does with them.
type pythonNames struct {
	names   map[string]bool   // variables that it sets
	used    map[string]bool   // variables that it uses
	modules map[string]string // imported modules and functions, by their names in the program
	files   []string
	loads   bool
	path    bool // it mentions the module search path
	mutates bool // it changes a list, a dict or a set
	does    bool // it has statements other than imports
}

// parseLine reads a line with its end: the header of a compound statement, simple statements, or both.
func (p *pythonParser) parseLine() bool {
	for p.take(" ") || p.take("\t") {
	}
	if p.parseLineEnd() {
		return true
	}
	if ok, header := p.parseCompoundHeader(); header {
		if !ok {
			return false
		}
		if p.skipBlanks(); p.parseLineEnd() {
			return true
		}
	}
	for p.parseSimpleStatement() {
		p.skipBlanks()
		if p.parseLineEnd() {
			return true
		}
		if !p.take(";") {
			return false
		}
		if p.skipBlanks(); p.parseLineEnd() {
			return true
		}
	}
	return false
}

// parseLineEnd reads an optional comment and the end of a line.
func (p *pythonParser) parseLineEnd() bool {
	if p.at < len(p.text) && p.text[p.at] == '#' {
		end := strings.IndexByte(p.text[p.at:], '\n')
		if end < 0 {
			end = len(p.text) - p.at
		}
		if strings.Contains(p.text[p.at:p.at+end], "coding") {
			return false
		}
		p.at += end
	}
	return p.at == len(p.text) || p.take("\n")
}

// parseCompoundHeader reads the header of a compound statement up to its colon. header is false, and
// nothing is read, if the line does not begin with one; ok is false if it is not plain.
func (p *pythonParser) parseCompoundHeader() (ok, header bool) {
	switch {
	case p.takeWord("if"), p.takeWord("elif"):
		ok = p.parseExpression()
	case p.takeWord("else"), p.takeWord("try"), p.takeWord("finally"):
		ok = true
	case p.takeWord("for"):
		ok = p.parseTargets() && p.takeWord("in") && p.parseExpressions()
	case p.takeWord("except"):
		ok = p.parseExceptClause()
	case p.takeWord("with"):
		ok = p.takeWord("open") && p.parseOpenCall() && p.takeWord("as") && p.parseTarget()
	default:
		return false, false
	}
	p.skipBlanks()
	return ok && p.take(":"), true
}

// parseExceptClause reads the rest of an except clause.
func (p *pythonParser) parseExceptClause() bool {
	if p.skipBlanks(); p.peek(":") {
		return true
	}
	name := p.parseName()
	known := name == "Exception" || name == "KeyError" || name == "ValueError" || name == "IndexError" || name == "TypeError" || name == "FileNotFoundError"
	return known && (!p.takeWord("as") || p.parseTarget())
}

// parseSimpleStatement reads a simple statement.
func (p *pythonParser) parseSimpleStatement() bool {
	switch {
	case p.takeWord("import"):
		return p.parseImport()
	case p.takeWord("from"):
		return p.parseFromImport()
	}
	p.does = true
	switch {
	case p.takeWord("pass"), p.takeWord("break"), p.takeWord("continue"):
		return true
	case p.takeWord("assert"):
		return p.parseExpressions()
	}
	start, before := p.at, maps.Clone(p.names)
	if p.parseAssignment() {
		return true
	}
	p.at, p.names = start, before // it was not an assignment
	return p.parseExpressions()
}

// parseAssignment reads an assignment to variables, or to an element of one.
func (p *pythonParser) parseAssignment() bool {
	if !p.parseTargets() {
		return false
	}
	element := false
	for p.peek("[") {
		if element = true; !p.parseSubscript() {
			return false
		}
	}
	p.skipBlanks()
	for _, operator := range []string{"+=", "-=", "="} {
		if p.take(operator) && !p.peek("=") {
			p.mutates = p.mutates || element || operator != "="
			return p.parseExpressions()
		}
	}
	return false
}

// parseTargets reads variables to set, separated by commas, with or without parentheses.
func (p *pythonParser) parseTargets() bool {
	p.skipBlanks()
	bracket := p.take("(")
	for p.parseTarget() {
		if p.skipBlanks(); !p.take(",") {
			return !bracket || p.take(")")
		}
	}
	return false
}

// parseTarget reads a variable to set.
func (p *pythonParser) parseTarget() bool {
	name := p.parseName()
	if !p.useVariable(name) {
		return false
	}
	p.names[name] = true
	return true
}

// useVariable records the use of a variable. It returns false for a name that cannot be a variable: a
// keyword, a builtin or an imported module.
func (p *pythonParser) useVariable(name string) bool {
	if name == "" || p.modules[name] != "" || slices.Contains(pythonWords(), name) {
		return false
	}
	p.used[name] = true
	return true
}

// parseName skips blanks and reads a name. It returns "" if there is none, or one that is not
// understood.
func (p *pythonParser) parseName() string {
	p.skipBlanks()
	start := p.at
	for p.at < len(p.text) && p.text[p.at] < 0x80 && spelling.NameByte(p.text[p.at]) {
		p.at++
	}
	name := p.text[start:p.at]
	if name == "" || name[0] >= '0' && name[0] <= '9' || strings.Contains(name, "__") {
		return ""
	}
	return name
}

// takeWord reads the given word, if it comes next as a whole word.
func (p *pythonParser) takeWord(word string) bool {
	start := p.at
	p.skipBlanks()
	end := p.at + len(word)
	if strings.HasPrefix(p.text[p.at:], word) && (end == len(p.text) || !spelling.NameByte(p.text[end]) && p.text[end] < 0x80) {
		p.at = end
		return true
	}
	p.at = start
	return false
}

// skipBlanks skips spaces and, inside brackets, line ends.
func (p *pythonParser) skipBlanks() {
	for p.take(" ") || p.brackets > 0 && p.take("\n") {
	}
}

// peek reports whether the given text comes next.
func (p *pythonParser) peek(text string) bool { return strings.HasPrefix(p.text[p.at:], text) }

// take reads the given text, if it comes next.
func (p *pythonParser) take(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.at += len(text)
	return true
}
