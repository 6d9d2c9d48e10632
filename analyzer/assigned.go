package analyzer

import (
	"strings"
	"unicode"

	"gavel/analyzer/spelling"
)

// The forms of a value that a variable is given; [gavel.Assignment] says what they are.
const (
	formNone      = "none"
	formPlain     = "plain"
	formEvaluates = "evaluates"
	formOther     = "other"
	formDynamic   = "dynamic"
)

// assignment is one place where a text gives a variable a value.
type assignment struct {
	name, form string
	// exported is true where the place itself says that programs get it. A variable that
	// the text exports elsewhere is exported as well, which [unfolder.assignments] knows.
	exported bool
	number   bool // the value is a decimal number
	// shell is the name of the one that sets it, as gavel.Assignment has it.
	shell string
	// value is what it gives, where known says that this is written out.
	value choice
	known bool
}

// formOf says what a value looks like that is written out.
func formOf(value string) string {
	switch {
	case evaluates(value):
		return formEvaluates
	case plainValue(value):
		return formPlain
	default:
		return formOther
	}
}

// form says what the value of a word looks like.
func (w *word) form() string {
	switch {
	case w.evaluates:
		return formEvaluates
	case w.dynamic && w.number:
		return formPlain
	case w.dynamic:
		return formDynamic
	default:
		return formOf(w.text)
	}
}

// unglobbed is a word as an assignment has it, where no names of files are expanded.
func (w word) unglobbed() word {
	if w.globs != "" {
		return word{text: w.globs}
	}
	return w
}

// evaluates reports whether a text holds something that would run, or be looked up,
// were a shell to evaluate it: as arithmetic, as a prompt, or as a word. A name with a
// bracket behind it is an element of an array, and its subscript is evaluated in turn.
func evaluates(value string) bool {
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

// plainValue reports whether a value is one word that names no file elsewhere and is no
// option: letters, digits and signs that mean nothing to a shell, or an http address.
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

// assigned notes that a text gives a variable the value of a word.
func (w *walker) assigned(name string, value word, exported bool) {
	w.gives(name, value.form(), value.number || !value.dynamic && spelling.Digits(value.text), exported)
	one := &w.values[len(w.values)-1]
	one.value, one.known = value.written()
}

// gives notes that a text gives a variable a value of a form.
func (w *walker) gives(name, form string, number, exported bool) {
	w.names = append(w.names, name)
	w.values = append(w.values, assignment{name: name, form: form, exported: exported, number: number})
}

// exports notes what a command of a shell does to the variables of the shell: set -a
// exports whatever is set.
func (w *walker) exports(words []word) {
	words = unprefixed(words)
	if words[0].text != "set" && words[0].text != "setopt" {
		return
	}
	for _, one := range words[1:] {
		short := strings.HasPrefix(one.text, "-") && strings.Contains(one.text, "a")
		w.exportsAll = w.exportsAll || short || one.dynamic || strings.Contains(strings.ToLower(strings.ReplaceAll(one.text, "_", "")), "allexport")
	}
}
