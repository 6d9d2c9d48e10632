package lang

import (
	"slices"
	"strings"

	"gavel/analyzer/spelling"
)

// plainAwk reports whether an awk program plainly runs no program and opens no file.
func plainAwk(program string) bool { return Awk(program) == 0 }

// Awk returns the effects of an awk program: system and pipes run programs, print with a
// redirection writes a file, getline reads one; everything else is harmless. What it does not
// understand, such as an indirect call, is reported as Unread.
//
// Strings and regular expressions are skipped. The text before a slash shows whether the slash
// begins one; if it does not, the program is not understood.
func Awk(program string) Effects {
	a := &awkProgram{text: program}
	for a.at < len(a.text) {
		if !a.token() {
			return a.effects | Unread
		}
	}
	return a.effects
}

type awkProgram struct {
	text     string
	at       int
	last     string // the last token; "a" for a name, "1" for a number or a string
	word     string // the last name, while nothing else followed
	printing bool   // the current statement contains print
	depth    int    // number of open parentheses since then
	control  []bool // the open parentheses: true for the ones of if, while and for
	effects  Effects
}

// token reads one token, and reports whether it is harmless and understood.
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
	case spelling.NameByte(c):
		return a.name()
	}
	return a.operator(c)
}

// literal reads a string or a regular expression. A line end inside one is an error.
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

// plainBrackets reports whether a bracket expression, whose first byte was read, certainly ends
// at its first ] and contains no slash. Some awks end the regular expression at such a slash, and
// some do not.
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
	for a.at < len(a.text) && spelling.NameByte(a.text[a.at]) {
		a.at++
	}
	name := a.text[start:a.at]
	a.last = "a"
	switch name {
	case "print", "printf":
		a.last, a.printing, a.depth = "print", true, 0
	case "return", "in", "else", "do", "case", "exit", "delete":
		a.last = "print" // an expression follows
	case "system", "popen":
		a.effects |= Runs
	case "getline":
		a.effects |= Reads
	case "extension":
		return false
	}
	a.word = name
	if '0' <= name[0] && name[0] <= '9' {
		a.last = "1"
	}
	return !slices.ContainsFunc([]byte(name), func(c byte) bool { return c >= 0x80 })
}

func (a *awkProgram) operator(c byte) bool {
	defer func() { a.word = "" }()
	a.at++
	following := byte(0)
	if a.at < len(a.text) {
		following = a.text[a.at]
	}
	switch c {
	case '(':
		a.depth++
		a.control = append(a.control, a.word == "if" || a.word == "while" || a.word == "for")
	case ')':
		a.depth--
		if end := len(a.control) - 1; end >= 0 {
			control := a.control[end]
			a.control, a.word = a.control[:end], ""
			if !control {
				a.last = "1" // a value: a slash behind it divides
				return true
			}
			a.last = ";" // a statement follows
			return true
		}
	case ';', '{', '}':
		a.printing = false
	case '\n': // may continue the statement, as behind a comma
	case '|':
		if following != '|' {
			a.effects |= Runs
			if following == '&' {
				a.at++
			}
			break
		}
		a.at++
	case '>':
		if a.printing && a.depth <= 0 {
			a.effects |= Writes
		}
	case '&', '!', '~', '<', '=', '+', '-', '*', '%', '^', '?', ':', ',', '[', ']', '$', '.':
	default:
		return false // @, a backtick, and anything else
	}
	a.last = string(c)
	return true
}
