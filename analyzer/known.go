package analyzer

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/spelling"
)

// What a variable holds is known where the text says it: it gives the variable nothing but
// words that are written out, in a place that a shell passes before it comes to the use.
// Each of these words is then looked at in the place of the variable. The word stays one
// that is made at run time: exec.command has the variable, and no entry that was made for
// written words covers it.

// maxChoices is how many values a word is looked at with, and a command.
const maxChoices = 32

// choice is one value that a word may have. An open one is only the beginning of it, and
// the rest is no further word.
type choice struct {
	text string
	open bool
}

// ingredient is a part of a word that is made of variables: text, or a variable.
type ingredient struct {
	text     string
	variable string
	quoted   bool // in double quotes
	settled  bool // a shell comes to an assignment before
}

// variable notes an expansion of a parameter. What is read is $name and ${name}; of every
// other one only the name is known.
func (v *value) variable(text string, quoted bool) {
	v.parameters++
	name := strings.TrimPrefix(text, "$")
	if inside, braced := strings.CutPrefix(name, "{"); braced {
		name = strings.TrimSuffix(inside, "}")
	}
	v.word.recipe = append(v.word.recipe, ingredient{text: string(v.bytes[v.cooked:])})
	v.cooked = len(v.bytes)
	if spelling.Portable(name) {
		v.plain++
		v.word.recipe = append(v.word.recipe, ingredient{variable: name, quoted: quoted, settled: v.settled[name] > 0})
	}
	name = strings.TrimPrefix(name, "#")
	end := 0
	for end < len(name) && spelling.NameByte(name[end]) {
		end++
	}
	if name = name[:end]; spelling.Portable(name) {
		v.word.variables = append(v.word.variables, name)
	}
}

// cook ends the recipe of a word, or drops it where something else is made in it.
func (v *value) cook() {
	v.word.parameters = v.parameters == v.made && v.made > 0
	if v.plain != v.made || v.made == 0 {
		v.word.recipe = nil
		return
	}
	v.word.recipe = append(v.word.recipe, ingredient{text: string(v.bytes[v.cooked:])})
}

// holds notes variables that have a value from here on, and forgets that they need not.
func (w *walker) holds(names ...string) {
	if w.settled == nil {
		w.settled = map[string]int{}
	}
	for _, name := range names {
		w.settled[name]++
	}
}

func (w *walker) forgets(names ...string) {
	for _, name := range names {
		w.settled[name]--
	}
}

// written is what an assignment gives a variable, where it is written out.
func (w *word) written() (value choice, known bool) {
	switch {
	case !w.dynamic:
		return choice{text: w.text}, true
	case w.globs != "" && w.prefix != "" && !strings.HasPrefix(w.prefix, "-"):
		return choice{text: w.prefix, open: true}, true
	default:
		return choice{}, false
	}
}

// of returns what a word may be, or nil where that is not known. Without quotes a value is
// one word only where it has no sign that means anything to a shell.
func (w *word) of(known map[string][]choice) []choice {
	if len(w.recipe) == 0 {
		return nil
	}
	all := []choice{{}}
	for _, part := range w.recipe {
		values := []choice{{text: part.text}}
		if part.variable != "" {
			values = known[part.variable]
		}
		if part.variable != "" && (!part.settled || len(values) == 0 || len(all)*len(values) > maxChoices) {
			return nil
		}
		longer := make([]choice, 0, len(all)*len(values))
		for _, before := range all {
			for _, one := range values {
				switch {
				case part.variable != "" && !part.quoted && (one.open || one.text == "" || !spelling.Ordinary(one.text)):
					return nil
				case before.open:
					longer = append(longer, before)
				default:
					longer = append(longer, choice{before.text + one.text, one.open})
				}
			}
		}
		all = longer
	}
	return all
}

// closed reports whether each of a word's values is known to its end.
func (w *word) closed() bool {
	return len(w.choices) > 0 && !slices.ContainsFunc(w.choices, func(one choice) bool { return one.open })
}

// unknown is the value as tables are asked about it.
func (c choice) unknown() string {
	if c.open {
		return c.text + argv.Unknown
	}
	return c.text
}

// each returns the words of a command once for every choice, as far as there are not too
// many; text is what is known without any.
func each(text []string, words []word) [][]string {
	all := [][]string{text}
	for i := range words {
		choices := words[i].choices
		if i >= len(text) || len(choices) == 0 || len(all)*len(choices) > maxChoices {
			continue
		}
		longer := make([][]string, 0, len(all)*len(choices))
		for _, before := range all {
			for _, one := range choices {
				with := slices.Clone(before)
				with[i] = one.unknown()
				longer = append(longer, with)
			}
		}
		all = longer
	}
	return all
}
