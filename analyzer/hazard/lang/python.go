package lang

import (
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/spelling"
)

// PythonText is what a program in python was found to do.
type PythonText struct {
	// Plain is true if it only reads files that it names and its standard input, computes with texts,
	// numbers, lists and maps, and prints. Otherwise the rest is meaningless.
	Plain bool
	// Files are the names of these files, as they are written.
	Files []string
	// Loads is true if it imports a module whose effects when it is loaded are unknown.
	Loads bool
}

// plainPython reports whether a python program is plain.
func plainPython(program string) bool { return Python(program).Plain }

// Python reads a program in python. It knows the functions and methods of a table, and calls of
// nothing else: no variable is ever called, no attribute is read but those of the table, and no name
// has two underscores. No variable has the name of a function of the language or of a module, so that
// one that has no value yet is an error and no such function. So whatever the values are, only functions
// of the table are reached. What is not understood is not plain. How statements are nested does not
// matter: each of them is plain by itself.
//
// This is true only of the text. Which file a module is loaded from is not said here: ./json.py may
// come before that of python. Before any text runs, python 3.13 imports linecache, and after an error
// traceback.
func Python(program string) PythonText {
	p := &pythonText{text: strings.TrimRight(program, " \n"), pythonNames: &pythonNames{names: map[string]bool{}, used: map[string]bool{}, modules: map[string]string{}}}
	// Other characters are read differently in some locales, and a comment may name a codec.
	odd := func(c rune) bool { return c != '\n' && c != '\t' && (c < ' ' || c > '~') }
	if len(program) > maxPython || p.text == "" || strings.ContainsFunc(program, odd) {
		return PythonText{}
	}
	for p.at < len(p.text) {
		if !p.line() {
			return PythonText{}
		}
	}
	if p.path && p.mutates {
		return PythonText{} // where modules are looked for may have been changed
	}
	if !p.does && !p.loads {
		return PythonText{} // it is there for what loading these modules does
	}
	for name := range p.used {
		if !p.names[name] {
			return PythonText{} // who knows what that is meant to be
		}
	}
	return PythonText{Plain: true, Files: p.files, Loads: p.loads}
}

// The limits of a program that is read.
const (
	maxPython = 8192 // bytes
	maxNested = 40   // expressions inside one another
	maxDigits = 15   // of a number
)

type pythonText struct {
	text   string
	at     int
	inside int // open brackets, in which lines may end
	nested int // expressions
	*pythonNames
}

// pythonNames are what a program was found to name, so far.
type pythonNames struct {
	names   map[string]bool   // variables that it sets
	used    map[string]bool   // and those that it uses
	modules map[string]string // modules and their functions, by the names that they have here
	files   []string
	loads   bool
	path    bool // it mentions where modules are looked for
	mutates bool // it changes a list, a map or a set
	does    bool // it does something besides importing
}

// line reads a line with its end: the head of a compound statement, simple statements, or both.
func (p *pythonText) line() bool {
	for p.take(" ") || p.take("\t") {
	}
	if p.ends() {
		return true
	}
	if ok, head := p.head(); head {
		if !ok {
			return false
		}
		if p.blanks(); p.ends() {
			return true
		}
	}
	for p.simple() {
		p.blanks()
		if p.ends() {
			return true
		}
		if !p.take(";") {
			return false
		}
		if p.blanks(); p.ends() {
			return true
		}
	}
	return false
}

// ends reads the end of a line, with a comment before it.
func (p *pythonText) ends() bool {
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

// head reads the head of a compound statement up to its colon, if there is one.
func (p *pythonText) head() (ok, head bool) {
	switch {
	case p.word("if"), p.word("elif"):
		ok = p.expression()
	case p.word("else"), p.word("try"), p.word("finally"):
		ok = true
	case p.word("for"):
		ok = p.targets() && p.word("in") && p.expressions()
	case p.word("except"):
		ok = p.exception()
	case p.word("with"):
		ok = p.word("open") && p.open() && p.word("as") && p.target()
	default:
		return false, false
	}
	p.blanks()
	return ok && p.take(":"), true
}

// exception reads what an except is about.
func (p *pythonText) exception() bool {
	if p.blanks(); p.peek(":") {
		return true
	}
	name := p.name()
	known := name == "Exception" || name == "KeyError" || name == "ValueError" || name == "IndexError" || name == "TypeError" || name == "FileNotFoundError"
	return known && (!p.word("as") || p.target())
}

// simple reads a simple statement.
func (p *pythonText) simple() bool {
	switch {
	case p.word("import"):
		return p.imports()
	case p.word("from"):
		return p.importsFrom()
	}
	p.does = true
	switch {
	case p.word("pass"), p.word("break"), p.word("continue"):
		return true
	case p.word("assert"):
		return p.expressions()
	}
	start, before := p.at, maps.Clone(p.names)
	if p.assignment() {
		return true
	}
	p.at, p.names = start, before // what was read was no target
	return p.expressions()
}

// assignment reads what sets variables, or an element of one.
func (p *pythonText) assignment() bool {
	if !p.targets() {
		return false
	}
	element := false
	for p.peek("[") {
		if element = true; !p.subscript() {
			return false
		}
	}
	p.blanks()
	for _, operator := range []string{"+=", "-=", "="} {
		if p.take(operator) && !p.peek("=") {
			p.mutates = p.mutates || element || operator != "="
			return p.expressions()
		}
	}
	return false
}

// targets reads variables with commas between them, in brackets or not.
func (p *pythonText) targets() bool {
	p.blanks()
	bracket := p.take("(")
	for p.target() {
		if p.blanks(); !p.take(",") {
			return !bracket || p.take(")")
		}
	}
	return false
}

// target reads the name of a variable that is set.
func (p *pythonText) target() bool {
	name := p.name()
	if !p.variable(name) {
		return false
	}
	p.names[name] = true
	return true
}

// variable records the use of a variable. What is a word of the language, a function of it or a module
// is none.
func (p *pythonText) variable(name string) bool {
	if name == "" || p.modules[name] != "" || slices.Contains(pythonWords(), name) {
		return false
	}
	p.used[name] = true
	return true
}

// name reads a name, with blanks before it; "" if there is none that is understood.
func (p *pythonText) name() string {
	p.blanks()
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

// word reads a word that stands by itself.
func (p *pythonText) word(word string) bool {
	start := p.at
	p.blanks()
	end := p.at + len(word)
	if strings.HasPrefix(p.text[p.at:], word) && (end == len(p.text) || !spelling.NameByte(p.text[end]) && p.text[end] < 0x80) {
		p.at = end
		return true
	}
	p.at = start
	return false
}

// blanks reads blanks; inside brackets, ends of lines too.
func (p *pythonText) blanks() {
	for p.take(" ") || p.inside > 0 && p.take("\n") {
	}
}

// peek reports whether a text comes next.
func (p *pythonText) peek(text string) bool { return strings.HasPrefix(p.text[p.at:], text) }

// take reads a text, if it comes next.
func (p *pythonText) take(text string) bool {
	if !p.peek(text) {
		return false
	}
	p.at += len(text)
	return true
}
