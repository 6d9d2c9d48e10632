package analyzer

import (
	"slices"
	"strings"
)

// plainAwk reports whether an awk program plainly neither runs a program nor opens
// a file: no system, getline or indirect call, no pipe, and no print with a
// redirection. What is not understood is not plain.
//
// Strings and regular expressions are skipped. Whether a slash begins one is known
// from what stands before it; where it is not, the program is not plain.
func plainAwk(program string) bool {
	a := &awkProgram{text: program}
	for a.at < len(a.text) {
		if !a.token() {
			return false
		}
	}
	return true
}

type awkProgram struct {
	text     string
	at       int
	last     string // the last token; "a" for a name, "1" for a number or a string
	printing bool   // since the last print nothing ended the statement
	depth    int    // parentheses open since then
}

// token takes one token, and reports whether it is harmless and understood.
func (a *awkProgram) token() bool {
	c := a.text[a.at]
	switch {
	case c == ' ' || c == '\t' || c == '\r':
		a.at++
		return true
	case c == '#':
		end := strings.IndexByte(a.text[a.at:], '\n')
		if end < 0 {
			end = len(a.text) - a.at
		}
		// Some awks continue a comment that ends in a backslash.
		comment := a.text[a.at : a.at+end]
		a.at += end
		return !strings.Contains(comment, `\`)
	case c == '\\':
		if !strings.HasPrefix(a.text[a.at:], "\\\n") {
			return false
		}
		a.at += 2
		return true
	case c == '"':
		a.last = "1"
		return a.literal('"')
	case c == '/':
		return a.slash()
	case nameByte(c):
		return a.name()
	}
	return a.operator(c)
}

// literal takes a string or a regular expression. A line end inside one is an error.
func (a *awkProgram) literal(end byte) bool {
	for a.at++; a.at < len(a.text); a.at++ {
		switch a.text[a.at] {
		case '\\':
			a.at++
		case '\n':
			return false
		case '[':
			if end == '/' && !plainBrackets(a.text[a.at+1:]) {
				return false
			}
		case end:
			a.at++
			return true
		}
	}
	return false
}

// plainBrackets reports whether a bracket expression, of which the first byte is
// taken, surely ends at its first ] and holds no slash: some awks end the regular
// expression there, and some do not.
func plainBrackets(rest string) bool {
	inside, _, closed := strings.Cut(strings.TrimPrefix(rest, "^"), "]")
	return closed && inside != "" && !strings.ContainsAny(inside, `/[\`)
}

func (a *awkProgram) slash() bool {
	switch a.last {
	case "", "(", ",", "{", "}", ";", "!", "~", "&", "|", "\n", "=", "?", ":", "print", "<", ">", "+", "-", "*", "%", "^":
		if a.last == "+" || a.last == "-" {
			return false // a++ / b
		}
		a.last = "1"
		return a.literal('/')
	case "a", "1", "]":
		a.last, a.at = "/", a.at+1
		return true
	}
	return false
}

func (a *awkProgram) name() bool {
	start := a.at
	for a.at < len(a.text) && nameByte(a.text[a.at]) {
		a.at++
	}
	name := a.text[start:a.at]
	a.last = "a"
	switch name {
	case "print", "printf":
		a.last, a.printing, a.depth = "print", true, 0
	case "return", "in", "else", "do", "case", "exit", "delete":
		a.last = "print" // an expression follows
	case "system", "getline", "popen", "extension":
		return false
	}
	if '0' <= name[0] && name[0] <= '9' {
		a.last = "1"
	}
	return !slices.ContainsFunc([]byte(name), func(c byte) bool { return c >= 0x80 })
}

func (a *awkProgram) operator(c byte) bool {
	a.at++
	following := byte(0)
	if a.at < len(a.text) {
		following = a.text[a.at]
	}
	switch c {
	case '(':
		a.depth++
	case ')':
		a.depth--
	case ';', '{', '}':
		a.printing = false
	case '\n': // may continue the statement, as behind a comma
	case '|':
		if following != '|' {
			return false
		}
		a.at++
	case '>':
		if a.printing && a.depth <= 0 {
			return false
		}
	case '&', '!', '~', '<', '=', '+', '-', '*', '%', '^', '?', ':', ',', '[', ']', '$', '.':
	default:
		return false // @, a backquote, and whatever else there is
	}
	a.last = string(c)
	return true
}
