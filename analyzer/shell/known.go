package shell

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

// MaxChoices is how many values a word is looked at with, and a command.
const MaxChoices = 32

// Choice is one value that a word may have. An open one is only the beginning of it, and
// the rest is no further word.
type Choice struct {
	Text string
	Open bool
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
		v.word.Variables = append(v.word.Variables, name)
	}
}

// cook ends the recipe of a word, or drops it where something else is made in it.
func (v *value) cook() {
	v.word.Parameters = v.parameters == v.made && v.made > 0
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
func (w *Word) written() (value Choice, known bool) {
	switch {
	case !w.Dynamic:
		return Choice{Text: w.Text}, true
	case w.globs != "" && w.Prefix != "" && !strings.HasPrefix(w.Prefix, "-"):
		return Choice{Text: w.Prefix, Open: true}, true
	default:
		return Choice{}, false
	}
}

// Choose returns what a word may be, or nil where that is unknown. Without quotes a value is
// one word only where it has no sign that means anything to a shell.
func (w *Word) Choose(known map[string][]Choice) []Choice {
	if len(w.recipe) == 0 {
		return nil
	}
	all := []Choice{{}}
	for _, part := range w.recipe {
		values := []Choice{{Text: part.text}}
		if part.variable != "" {
			values = known[part.variable]
		}
		if part.variable != "" && (!part.settled || len(values) == 0 || len(all)*len(values) > MaxChoices) {
			return nil
		}
		longer := make([]Choice, 0, len(all)*len(values))
		for _, before := range all {
			for _, one := range values {
				switch {
				case part.variable != "" && !part.quoted && (one.Open || one.Text == "" || !spelling.Ordinary(one.Text)):
					return nil
				case before.Open:
					longer = append(longer, before)
				default:
					longer = append(longer, Choice{before.Text + one.Text, one.Open})
				}
			}
		}
		all = longer
	}
	return all
}

// Closed reports whether each of a word's values is known to its end.
func (w *Word) Closed() bool {
	return len(w.Choices) > 0 && !slices.ContainsFunc(w.Choices, func(one Choice) bool { return one.Open })
}

// Reading is the value as tables are asked about it.
func (c Choice) Reading() string {
	if c.Open {
		return c.Text + argv.Unknown
	}
	return c.Text
}

// Readings returns the words of a command once for every choice, as far as there are not too
// many; text is what is known without any.
func Readings(text []string, words []Word) [][]string {
	all := [][]string{text}
	for i := range words {
		choices := words[i].Choices
		if i >= len(text) || len(choices) == 0 || len(all)*len(choices) > MaxChoices {
			continue
		}
		longer := make([][]string, 0, len(all)*len(choices))
		for _, before := range all {
			for _, one := range choices {
				with := slices.Clone(before)
				with[i] = one.Reading()
				longer = append(longer, with)
			}
		}
		all = longer
	}
	return all
}
