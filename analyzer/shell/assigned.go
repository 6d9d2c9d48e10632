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

// Assignment is one position at which a text gives a variable a value.
type Assignment struct {
	Name, Form string
	// Exported is true if the assignment itself exports the variable. The text may also export it
	// elsewhere, which is known only after all of it is read.
	Exported bool
	Number   bool // the value is a decimal number
	// Shell is the name of the shell that sets it, as in gavel.Assignment.
	Shell string
	// Value is the value, if known says that it is literal.
	Value Choice
	Known bool
	// Command is one more than the position of the command that the assignment is written in front of,
	// and that alone gets it; 0 for any other one.
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

// unglobbed returns a word as in an assignment, where file names are not expanded.
func (w Word) unglobbed() Word {
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
			return plainSigns(address, "-._~:/?#@&=+,;%")
		}
	}
	return !strings.HasPrefix(value, "-") && plainSigns(value, "-._:@%+=,")
}

func plainSigns(value, signs string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune(signs, r)
	})
}

// assigned records that a text gives a variable the value of a word.
func (w *walker) assigned(name string, value Word, exported bool) {
	w.gives(name, value.Form(), value.number || !value.Dynamic && spelling.Digits(value.Text), exported)
	one := &w.Values[len(w.Values)-1]
	one.Value, one.Known = value.written()
}

// gives records that a text gives a variable a value of a form.
func (w *walker) gives(name, form string, number, exported bool) {
	w.Names = append(w.Names, name)
	w.Values = append(w.Values, Assignment{Name: name, Form: form, Exported: exported, Number: number})
}

// exports records what a builtin does to the variables of the shell. After set -a, every variable
// that is set is exported.
func (w *walker) exports(words []Word) {
	words = w.effects.Unprefixed(words)
	if !w.effects.builtins[words[0].Text].SetsOptions {
		return
	}
	for _, one := range words[1:] {
		short := strings.HasPrefix(one.Text, "-") && strings.Contains(one.Text, "a")
		w.ExportsAll = w.ExportsAll || short || one.Dynamic || strings.Contains(strings.ToLower(strings.ReplaceAll(one.Text, "_", "")), "allexport")
	}
}
