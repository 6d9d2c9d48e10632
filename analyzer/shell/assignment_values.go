package shell

import (
	"strings"
	"unicode"

	"gavel/analyzer/spelling"
)

// The forms of a value that a variable gets; [gavel.Assignment] describes them.
const (
	FormNone      = "none"
	formPlain     = "plain"
	FormEvaluates = "evaluates"
	formOther     = "other"
	FormDynamic   = "dynamic"
)

// Assignment is one assignment to a variable.
type Assignment struct {
	Name, Form string
	// Exported is true if the assignment itself exports the variable. The text may also export it
	// elsewhere, which is known only after all of it is read.
	Exported bool
	Number   bool // the value is a decimal number
	// Shell is the name of the shell that sets it, as in gavel.Assignment.
	Shell string
	// Value is the value, if Known is true.
	Value Choice
	Known bool
	// Command is one more than the index of the command in front of which the assignment is, and which alone
	// gets the value; 0 if there is none.
	Command int
}

// FormOf returns the form of a literal value.
func FormOf(value string) string {
	switch {
	case Evaluates(value):
		return FormEvaluates
	case plainValue(value):
		return formPlain
	default:
		return formOther
	}
}

// Form returns the form of a word's value.
func (w *Word) Form() string {
	switch {
	case w.evaluates:
		return FormEvaluates
	case w.Dynamic && w.number:
		return formPlain
	case w.Dynamic:
		return FormDynamic
	default:
		return FormOf(w.Text)
	}
}

// inAssignment returns the word as it is read in an assignment, where file names are not expanded.
func (w Word) inAssignment() Word {
	if w.globs != "" {
		return Word{Text: w.globs}
	}
	return w
}

// Evaluates reports whether a shell would run or look up something if it evaluated a text as
// arithmetic, as a prompt, or as a word. A name with a bracket after it is an array element, and
// its subscript is evaluated in turn.
func Evaluates(value string) bool {
	for i := range len(value) {
		rest := value[i:]
		switch value[i] {
		case '`':
			return true
		case '$':
			if len(rest) > 1 && strings.IndexByte("({[", rest[1]) >= 0 {
				return true
			}
		case '<', '>':
			if strings.HasPrefix(rest[1:], "(") {
				return true
			}
		case '=':
			if i == 0 && strings.HasPrefix(rest[1:], "(") {
				return true
			}
		case '[':
			if i > 0 && (spelling.NameByte(value[i-1]) || strings.IndexByte("]})", value[i-1]) >= 0) {
				return true
			}
		}
	}
	return false
}

// plainValue reports whether a value is a single word that names no file elsewhere and is not an
// option: letters, digits and characters without a meaning in a shell, or an http address.
func plainValue(value string) bool {
	for _, scheme := range []string{"http://", "https://"} {
		if address, ok := strings.CutPrefix(value, scheme); ok {
			return onlyCharacters(address, "-._~:/?#@&=+,;%")
		}
	}
	return !strings.HasPrefix(value, "-") && onlyCharacters(value, "-._:@%+=,")
}

func onlyCharacters(value, allowed string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(allowed, r)
	})
}

// addAssignment records the assignment of a word to a variable.
func (w *walker) addAssignment(name string, value Word, exported bool) {
	w.addValue(name, value.Form(), value.number || !value.Dynamic && spelling.Digits(value.Text), exported)
	item := &w.Values[len(w.Values)-1]
	item.Value, item.Known = value.literalValue()
}

// addValue records the assignment of a value with this form.
func (w *walker) addValue(name, form string, number, exported bool) {
	w.Names = append(w.Names, name)
	w.Values = append(w.Values, Assignment{Name: name, Form: form, Exported: exported, Number: number})
}

// trackExports records whether a builtin makes the shell export every variable that is set, as set -a
// does.
func (w *walker) trackExports(words []Word) {
	words = w.effects.Unprefixed(words)
	if !w.effects.builtins[words[0].Text].SetsOptions {
		return
	}
	for _, item := range words[1:] {
		short := strings.HasPrefix(item.Text, "-") && strings.Contains(item.Text, "a")
		w.ExportsAll = w.ExportsAll || short || item.Dynamic || strings.Contains(strings.ToLower(strings.ReplaceAll(item.Text, "_", "")), "allexport")
	}
}
