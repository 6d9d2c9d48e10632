package lang

import (
	"slices"
	"strings"
)

// plainNode reports whether a Node.js program only prints literals, arithmetic on them, and properties
// of process that describe the interpreter. Node.js loads no file of the project for a program on the
// command line that requires none. A program that is not understood is not plain.
//
// Comments, templates and regular expressions are not understood: no method accepts a slash or a
// backtick.
func plainNode(program string) bool {
	n := nodeText{text: program}
	for {
		n.blanks()
		if !n.statement() {
			return false
		}
		n.blanks()
		if n.at < len(n.text) && !n.take(";") {
			return false
		}
		if n.blanks(); n.at == len(n.text) {
			return true
		}
	}
}

type nodeText struct {
	text string
	at   int
}

func (n *nodeText) blanks() {
	for n.take(" ") {
	}
}

func (n *nodeText) take(text string) bool {
	ok := strings.HasPrefix(n.text[n.at:], text)
	if ok {
		n.at += len(text)
	}
	return ok
}

// statement reads a call of console.log, or a property of process, which is what -p prints.
func (n *nodeText) statement() bool {
	if !n.take("console.log(") {
		return n.take("process.") && n.known()
	}
	for n.blanks(); !n.take(")"); n.blanks() {
		if !n.sum() {
			return false
		}
		if !n.take(",") && !strings.HasPrefix(n.text[n.at:], ")") {
			return false
		}
	}
	return true
}

// sum reads values separated by +, - or *.
func (n *nodeText) sum() bool {
	for {
		n.blanks()
		if !n.value() {
			return false
		}
		n.blanks()
		if !n.take("+") && !n.take("-") && !n.take("*") {
			return true
		}
	}
}

// value reads a string, a number or a property of process.
func (n *nodeText) value() bool {
	switch {
	case n.take("process."):
		return n.known()
	case n.take("'"):
		return n.literal('\'')
	case n.take(`"`):
		return n.literal('"')
	}
	return n.digits() && (!n.take(".") || n.digits())
}

// literal reads the rest of a string without escapes.
func (n *nodeText) literal(quote byte) bool {
	for ; n.at < len(n.text); n.at++ {
		switch c := n.text[n.at]; {
		case c == quote:
			n.at++
			return true
		case c == '\\', c < ' ', c > '~':
			return false
		}
	}
	return false
}

func (n *nodeText) digits() bool {
	start := n.at
	for n.at < len(n.text) && '0' <= n.text[n.at] && n.text[n.at] <= '9' {
		n.at++
	}
	return start < n.at && n.at-start <= maxDigits
}

// known reads a property of process that is a text, or cwd(), which returns one.
func (n *nodeText) known() bool {
	if n.take("cwd()") {
		return true
	}
	name := n.name()
	if name == "versions" {
		return !n.take(".") || n.name() != ""
	}
	return slices.Contains([]string{"version", "platform", "arch", "execPath"}, name)
}

func (n *nodeText) name() string {
	start := n.at
	for n.at < len(n.text) && (n.text[n.at]|' ' >= 'a' && n.text[n.at]|' ' <= 'z') {
		n.at++
	}
	return n.text[start:n.at]
}
