package analyzer

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"gavel"
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
			if i > 0 && (nameByte(value[i-1]) || strings.IndexByte("]})", value[i-1]) >= 0) {
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
	w.gives(name, value.form(), value.number || !value.dynamic && digits(value.text), exported)
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

// exporting reports whether a shell was started so that it exports whatever is set.
func exporting(argv []string) bool {
	return slices.ContainsFunc(argv[1:], func(word string) bool {
		short := strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && strings.Contains(word, "a")
		return short || word == "allexport"
	})
}

// wrapped notes the variables that a wrapper's own words set or take away.
func (u *unfolder) wrapped(words []word, names []string) {
	u.names = append(u.names, names...)
	for _, name := range names {
		form := formNone
		for i := range words {
			text := words[i].text
			if words[i].dynamic {
				text = words[i].prefix
			}
			value, found := strings.CutPrefix(text, name+"=")
			switch {
			case found && words[i].dynamic:
				form = words[i].form()
			case found:
				form = formOf(value)
			default:
				continue
			}
			u.values = append(u.values, assignment{name: name, form: form, exported: true, number: !words[i].dynamic && digits(value)})
		}
		if form == formNone {
			u.values = append(u.values, assignment{name: name, form: form, exported: true})
		}
	}
}

// assignments returns what is known of the variables that a call sets: sorted, each
// once, and exported where any place says so.
func assignments(list []assignment, all bool) []gavel.Assignment {
	exported := map[string]bool{}
	for _, one := range list {
		exported[one.name] = exported[one.name] || one.exported || all
	}
	facts := make([]gavel.Assignment, len(list))
	for i, one := range list {
		facts[i] = gavel.Assignment{Name: one.name, Form: one.form, Exported: exported[one.name], Shell: one.shell}
	}
	slices.SortFunc(facts, func(a, b gavel.Assignment) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Form, b.Form), strings.Compare(a.Shell, b.Shell))
	})
	return slices.Compact(facts)
}

// sets notes variables that a command of the shell sets or takes away.
func (u *unfolder) sets(names []string, form string) {
	u.names = append(u.names, names...)
	for _, name := range names {
		u.values = append(u.values, assignment{name: name, form: form, shell: u.told})
	}
}

// evaluated refuses a command of the shell that would evaluate one of its words, as a
// number or as the name of a variable, where the word has something in it that would run.
// There may be programs of these names, which evaluate nothing; a shell that is given the
// bare name runs its own command all the same.
func (u *unfolder) evaluated(c call, own Builtin) {
	if slices.Contains([]string{"any", "directory", wordsQuery, "trap"}, own.Words) {
		return
	}
	words := unprefixed(c.words)
	names := slices.Contains([]string{"test", "["}, words[0].text)
	if own.Words == "" && !names && !setsVariables(words) {
		return
	}
	for i := 1; i < len(words); i++ {
		if names && words[i-1].text != "-v" {
			continue
		}
		if words[i].form() == formEvaluates {
			u.refuse(c, kindEvaluated, excerpt(words[i].text)+" as a word of "+words[0].text)
		}
	}
}
