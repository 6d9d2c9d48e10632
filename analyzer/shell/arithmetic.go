package shell

import (
	"strings"

	"gavel/analyzer/spelling"
)

// In arithmetic, a shell evaluates the value of a variable again, which may run something. So a
// variable is accepted only if the text assigns nothing but numbers to it. Package unwrap checks that
// the rest of the command assigns nothing else. Names must be in lower case: those are variables of
// scripts, not of the shell or the environment.

// ArithmeticVariable is a variable in arithmetic, and the refusal if it may not be used.
type ArithmeticVariable struct {
	Name string
	refusedPart
}

// readArithmetic reads arithmetic: numbers, operators and the names of variables. It reports whether
// the text is nothing else, and records the names.
func (w *walker) readArithmetic(text, operators string, refused refusedPart) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	var names []string
	open := 0
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '(':
			open++
			i++
		case c == ')':
			if open--; open < 0 {
				return false
			}
			i++
		case '0' <= c && c <= '9':
			end := i
			for end < len(text) && spelling.NameByte(text[end]) {
				end++
			}
			if !spelling.Digits(text[i:end]) {
				return false
			}
			i = end
		case c == '$' || spelling.NameByte(c):
			name, end := scriptVariable(text, i)
			if name == "" || strings.HasPrefix(strings.TrimLeft(text[end:], " "), "(") {
				return false
			}
			names, i = append(names, name), end
		case strings.IndexByte(operators, c) >= 0:
			i++
		default:
			return false
		}
	}
	if open != 0 || len(names) > 0 && strings.Contains(text, "((") {
		return false
	}
	for _, name := range names {
		w.Arithmetic = append(w.Arithmetic, ArithmeticVariable{name, refused})
		if setsVariables(text) {
			w.addValue(name, formPlain, true, false)
		}
	}
	return true
}

// The accepted operators of expansions, and of commands, which can also compare.
const (
	arithmeticOperators = "+-*/% "
	commandOperators    = arithmeticOperators + "<>=!&|?:"
)

// checkArithmetic refuses arithmetic on variables to which the text assigns no number.
func (w *walker) checkArithmetic() {
	if len(w.Arithmetic) == 0 {
		return
	}
	given := map[string]bool{}
	for _, item := range w.Values {
		given[item.Name] = given[item.Name] || item.Number
	}
	for _, c := range w.Arithmetic {
		if !given[c.Name] {
			w.refuse(c.kind, c.construct, c.start, c.end)
		}
	}
}

// scriptVariable returns the variable at a position of a text, written as name, $name or ${name}, and the
// position after it. The name is "" if it is not a variable of a script.
func scriptVariable(text string, at int) (name string, end int) {
	rest := text[at:]
	name = strings.TrimPrefix(rest, "$")
	inside, braced := strings.CutPrefix(name, "{")
	if braced && len(name) == len(rest) {
		return "", at
	}
	if braced {
		name = inside
	}
	length := 0
	for length < len(name) && spelling.NameByte(name[length]) {
		length++
	}
	end = at + len(rest) - len(name) + length
	if braced {
		if end == len(text) || text[end] != '}' {
			return "", at
		}
		end++
	}
	name = name[:length]
	if name == "" || strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != "" || !spelling.Portable(name) {
		return "", at
	}
	return name, end
}

// setsVariables reports whether arithmetic sets variables.
func setsVariables(text string) bool {
	for _, comparison := range []string{"==", "<=", ">=", "!="} {
		text = strings.ReplaceAll(text, comparison, " ")
	}
	return strings.Contains(text, "=") || strings.Contains(text, "++") || strings.Contains(text, "--")
}
