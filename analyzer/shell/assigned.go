package shell

import (
	"strings"
	"unicode"

	"gavel/analyzer/spelling"
)

// The forms of a value that a variable is given; [gavel.Assignment] says what they are.
const (
	FormNone      = "none"
	formPlain     = "plain"
	FormEvaluates = "evaluates"
	formOther     = "other"
	FormDynamic   = "dynamic"
)

// Assignment is one place where a text gives a variable a value.
type Assignment struct {
	Name, Form string
	// Exported is true where the place itself says that programs get it. A variable that
	// the text exports elsewhere is exported as well, which is known once all of it was read.
	Exported bool
	Number   bool // the value is a decimal number
	// Shell is the name of the one that sets it, as gavel.Assignment has it.
	Shell string
	// Value is what it gives, where known says that this is written out.
	Value Choice
	Known bool
}

// FormOf says what a value looks like that is written out.
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

// Form says what the value of a word looks like.
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

// unglobbed is a word as an assignment has it, where no names of files are expanded.
func (w Word) unglobbed() Word {
	if w.globs != "" {
		return Word{Text: w.globs}
	}
	return w
}

// Evaluates reports whether a text holds something that would run, or be looked up,
// were a shell to evaluate it: as arithmetic, as a prompt, or as a word. A name with a
// bracket behind it is an element of an array, and its subscript is evaluated in turn.
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
func (w *walker) assigned(name string, value Word, exported bool) {
	w.gives(name, value.Form(), value.number || !value.Dynamic && spelling.Digits(value.Text), exported)
	one := &w.Values[len(w.Values)-1]
	one.Value, one.Known = value.written()
}

// gives notes that a text gives a variable a value of a form.
func (w *walker) gives(name, form string, number, exported bool) {
	w.Names = append(w.Names, name)
	w.Values = append(w.Values, Assignment{Name: name, Form: form, Exported: exported, Number: number})
}

// exports notes what a command of a shell does to the variables of the shell: set -a
// exports whatever is set.
func (w *walker) exports(words []Word) {
	words = Unprefixed(words)
	if words[0].Text != "set" && words[0].Text != "setopt" {
		return
	}
	for _, one := range words[1:] {
		short := strings.HasPrefix(one.Text, "-") && strings.Contains(one.Text, "a")
		w.ExportsAll = w.ExportsAll || short || one.Dynamic || strings.Contains(strings.ToLower(strings.ReplaceAll(one.Text, "_", "")), "allexport")
	}
}
