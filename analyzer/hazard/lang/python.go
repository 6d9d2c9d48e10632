package lang

import (
	"slices"
	"strings"

	"gavel/analyzer/spelling"
)

// plainPython reports whether a python program only imports sys and prints literals and what sys
// knows about the interpreter. Every interpreter has sys built in, so no file in the working
// directory can replace it, as ./json.py can replace json. What is not understood is not plain.
//
// This is true only of the text. Before it runs, python 3.13 imports linecache, and after an
// error traceback, from the working directory unless -I is given.
func plainPython(program string) bool {
	program = strings.TrimRight(program, "\n")
	for line := range strings.SplitSeq(program, "\n") {
		p := &pythonLine{text: line}
		if line != "" && !p.statements() {
			return false
		}
	}
	return program != ""
}

type pythonLine struct {
	text string
	at   int
}

func (p *pythonLine) statements() bool {
	for {
		if !p.take("import sys") && !p.print() {
			return false
		}
		p.blanks()
		if p.take(";") {
			p.blanks()
		} else if p.at < len(p.text) {
			return false
		}
		if p.at == len(p.text) {
			return true
		}
	}
}

func (p *pythonLine) blanks() {
	for p.take(" ") {
	}
}

func (p *pythonLine) take(text string) bool {
	ok := strings.HasPrefix(p.text[p.at:], text)
	if ok {
		p.at += len(text)
	}
	return ok
}

// print reads a call of print without keyword arguments: file= would write.
func (p *pythonLine) print() bool {
	if !p.take("print(") {
		return false
	}
	for p.blanks(); !p.take(")"); p.blanks() {
		if !p.argument() {
			return false
		}
		p.blanks()
		if !p.take(",") && !strings.HasPrefix(p.text[p.at:], ")") {
			return false
		}
	}
	return true
}

// argument reads a string, a number or an attribute of sys.
func (p *pythonLine) argument() bool {
	switch {
	case p.take("sys."):
		return p.known()
	case p.take("'"):
		return p.literal('\'')
	case p.take(`"`):
		return p.literal('"')
	default:
		return p.number()
	}
}

// literal reads the rest of a string without escapes. Two quotes in a row may begin a multi-line
// string, and a name before a quote changes how the string is read.
func (p *pythonLine) literal(quote byte) bool {
	for start := p.at; p.at < len(p.text); p.at++ {
		switch c := p.text[p.at]; {
		case c == quote:
			p.at++
			return p.at-1 > start && (p.at == len(p.text) || p.text[p.at] != '\'' && p.text[p.at] != '"')
		case c == '\\', c < ' ', c > '~':
			return false
		}
	}
	return false
}

// maxDigits is the maximum length of a number.
const maxDigits = 15

func (p *pythonLine) number() bool {
	start := p.at
	for p.at < len(p.text) && '0' <= p.text[p.at] && p.text[p.at] <= '9' {
		p.at++
	}
	return start < p.at && p.at-start <= maxDigits
}

// known reads an attribute of sys whose value consists of texts and numbers only, so that
// printing it runs nothing, and the part of it that is wanted. argv is not one of them: its words
// may contain variables that the shell expands.
func (p *pythonLine) known() bool {
	start := p.at
	for p.at < len(p.text) && spelling.NameByte(p.text[p.at]) {
		p.at++
	}
	name := p.text[start:p.at]
	switch {
	case name == "version_info" && p.take("."):
		return p.take("major") || p.take("minor") || p.take("micro")
	case name == "implementation":
		return p.take(".name")
	case name == "version" && p.take(".split()"):
		return p.subscript()
	case slices.Contains([]string{"version", "version_info", "path", "builtin_module_names"}, name):
		return p.text[p.at:] == "" || p.text[p.at] != '[' || p.subscript()
	}
	return slices.Contains([]string{"executable", "prefix", "base_prefix", "exec_prefix", "base_exec_prefix", "platform", "byteorder",
		"maxsize", "maxunicode", "hexversion", "api_version", "copyright", "abiflags", "float_repr_style", "platlibdir"}, name)
}

// subscript reads [0], [:2] or [0:2].
func (p *pythonLine) subscript() bool {
	if !p.take("[") {
		return false
	}
	first := p.number()
	if p.take(":") {
		return p.number() && p.take("]")
	}
	return first && p.take("]")
}
