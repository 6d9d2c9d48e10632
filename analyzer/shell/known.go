package shell

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/spelling"
)

// The values of a variable are known if the text gives it only literal words, before it is used.
// Each of these words is then examined in place of the variable. The word still counts as
// produced at run time: exec.command keeps the variable, and no allowlist entry that was created
// for literal words covers it.

// MaxChoices limits the values that are examined for a word, and for a command.
const MaxChoices = 32

// Choice is one value that a word may have. An open one is only the beginning of it, and
// the rest is not a further word; then Pattern is what the whole is a name of a file by, or "".
type Choice struct {
	Text    string
	Open    bool
	Pattern string
}

// ingredient is a part of a word that consists of variables: literal text or a variable.
type ingredient struct {
	text     string
	variable string
	quoted   bool // in double quotes
	settled  bool // an assignment was certainly made before
}

// variable records the expansion of a parameter. Only $name and ${name} are evaluated; of any
// other form, only the name is recorded.
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
	if name := named(text); spelling.Portable(name) {
		v.word.Variables = append(v.word.Variables, name)
		v.Expands = append(v.Expands, name)
	}
}

// named is the name of the parameter that an expansion is about, as far as it has letters.
func named(text string) string {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "$"), "{"), "#")
	end := 0
	for end < len(name) && spelling.NameByte(name[end]) {
		end++
	}
	return name[:end]
}

// cook completes the recipe of a word, or drops it if the word has other dynamic parts.
func (v *value) cook() {
	v.word.Parameters = v.parameters == v.made && v.made > 0
	if v.plain != v.made || v.made == 0 {
		v.word.recipe = nil
		return
	}
	v.word.recipe = append(v.word.recipe, ingredient{text: string(v.bytes[v.cooked:])})
}

// holds records variables that have a value from here on.
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

// written returns the value that an assignment gives a variable, if it is literal.
func (w *Word) written() (value Choice, known bool) {
	switch {
	case !w.Dynamic:
		return Choice{Text: w.Text}, true
	case w.globs != "" && !strings.HasPrefix(w.Prefix, "-"):
		return Choice{Text: w.Prefix, Open: true, Pattern: w.globs}, true
	case w.homeGlobs != "":
		return Choice{Text: w.homeGlobs[:strings.IndexAny(w.homeGlobs, "*?[")], Open: true, Pattern: w.homeGlobs}, true
	default:
		return Choice{}, false
	}
}

// Unquoted returns the possible values of a word that is nothing but an unquoted variable, if
// names of files are among them, and nil for any other word. Such a name is one word only if it
// has no character with a meaning in a shell. The names are relative to the directory in which the
// loop runs: where a loop changes it, the directory is unknown, and so are the names.
func (w *Word) Unquoted(known map[string][]Choice) []Choice {
	if len(w.recipe) != 3 || w.recipe[0].text+w.recipe[2].text != "" || w.recipe[1].quoted || !w.recipe[1].settled {
		return nil
	}
	list := known[w.recipe[1].variable]
	open := false
	for _, one := range list {
		open = open || one.Open
		if one.Open && one.Pattern == "" || !one.Open && !oneWord(one.Text) {
			return nil
		}
	}
	if !open || len(list) > MaxChoices {
		return nil
	}
	return list
}

// oneWord reports whether an unquoted value is certainly one word.
func oneWord(text string) bool { return text != "" && spelling.Ordinary(text) }

// Choose returns the possible values of a word, or nil if they are unknown. Unquoted, a value is
// one word only if it has no character with a meaning in a shell.
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
				case part.variable != "" && !part.quoted && (one.Open || !oneWord(one.Text)):
					return nil
				case before.Open:
					if one.Text != "" || part.variable != "" {
						before.Pattern = ""
					}
					longer = append(longer, before)
				default:
					next := Choice{Text: before.Text + one.Text, Open: one.Open}
					if before.Text == "" {
						next.Pattern = one.Pattern
					}
					longer = append(longer, next)
				}
			}
		}
		all = longer
	}
	return all
}

// Closed reports whether all possible values of a word are known completely.
func (w *Word) Closed() bool {
	return len(w.Choices) > 0 && !slices.ContainsFunc(w.Choices, func(one Choice) bool { return one.Open })
}

// Reading returns the value in the form that the tables read.
func (c Choice) Reading() string {
	if c.Open {
		return c.Text + argv.Unknown
	}
	return c.Text
}

// Readings returns the words of a command once for every choice, up to the limit. text has the
// words without any choices.
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

// Patterns returns the patterns of file names that a word is made of, where it is nothing
// else: one that is written, or those of the loop whose variable it is. The other values of
// the variable are written out.
func (w *Word) Patterns() (list []string) {
	if w.globs+w.homeGlobs != "" {
		return []string{w.globs + w.homeGlobs}
	}
	for _, one := range w.Choices {
		switch {
		case one.Pattern != "":
			list = append(list, one.Pattern)
		case one.Open:
			return nil
		}
	}
	return list
}
