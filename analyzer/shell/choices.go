package shell

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/spelling"
)

// The values of a variable are known if the text assigns only literal words to it, before it is used.
// Each of these words is then examined in place of the variable. A word with the variable still counts
// as produced at run time: exec.command keeps the variable, and no allowlist entry that was created
// for literal words covers it.

// MaxChoices limits the values that are examined for a word, and for a command.
const MaxChoices = 32

// Choice is one value that a word may have. If IsPrefix is true, Text is only the beginning of the
// value, which is still one word; then Pattern is the glob of which the value is a match, or "".
type Choice struct {
	Text     string
	IsPrefix bool
	Pattern  string
}

// wordPart is a part of a word that consists of literal text and variables.
type wordPart struct {
	text     string
	variable string
	quoted   bool // in double quotes
	assigned bool // an assignment was certainly made before
}

// variable records the expansion of a parameter. Only $name and ${name} are evaluated; of any
// other form, only the name is recorded.
func (v *value) variable(text string, quoted bool) {
	v.parameterParts++
	name := strings.TrimPrefix(text, "$")
	if inside, braced := strings.CutPrefix(name, "{"); braced {
		name = strings.TrimSuffix(inside, "}")
	}
	v.word.parts = append(v.word.parts, wordPart{text: string(v.bytes[v.partsEnd:])})
	v.partsEnd = len(v.bytes)
	if spelling.Portable(name) {
		v.plainParameters++
		v.word.parts = append(v.word.parts, wordPart{variable: name, quoted: quoted, assigned: v.assignedVars[name] > 0})
	}
	if name := parameterName(text); spelling.Portable(name) {
		v.word.Variables = append(v.word.Variables, name)
		v.Expands = append(v.Expands, name)
	}
}

// parameterName returns the name of the parameter in an expansion; "" for special parameters.
func parameterName(text string) string {
	name := strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(text, "$"), "{"), "#")
	end := 0
	for end < len(name) && spelling.NameByte(name[end]) {
		end++
	}
	return name[:end]
}

// finishParts completes the parts of a word, or drops them if it has dynamic parts other than variables.
func (v *value) finishParts() {
	v.word.Parameters = v.parameterParts == v.dynamicParts && v.dynamicParts > 0
	if v.plainParameters != v.dynamicParts || v.dynamicParts == 0 {
		v.word.parts = nil
		return
	}
	v.word.parts = append(v.word.parts, wordPart{text: string(v.bytes[v.partsEnd:])})
}

// addAssigned records variables that certainly have a value from here on.
func (w *walker) addAssigned(names ...string) {
	if w.assignedVars == nil {
		w.assignedVars = map[string]int{}
	}
	for _, name := range names {
		w.assignedVars[name]++
	}
}

// removeAssigned reverts addAssigned.
func (w *walker) removeAssigned(names ...string) {
	for _, name := range names {
		w.assignedVars[name]--
	}
}

// literalValue returns the value that a variable gets if the word is assigned to it. It is not known
// unless it is literal or a pattern of file names.
func (w *Word) literalValue() (value Choice, known bool) {
	switch {
	case !w.Dynamic:
		return Choice{Text: w.Text}, true
	case w.globs != "" && !strings.HasPrefix(w.Prefix, "-"):
		return Choice{Text: w.Prefix, IsPrefix: true, Pattern: w.globs}, true
	case w.homeGlobs != "":
		return Choice{Text: w.homeGlobs[:strings.IndexAny(w.homeGlobs, "*?[")], IsPrefix: true, Pattern: w.homeGlobs}, true
	default:
		return Choice{}, false
	}
}

// ChooseFileNames returns the possible values of a word that is a single unquoted variable, if file names
// are among them, and nil for any other word. A file name is one word only if it has no character that
// is special in a shell. The names are relative to the working directory of the loop: where a loop
// changes it, the directory is unknown, and so are the names.
func (w *Word) ChooseFileNames(known map[string][]Choice) []Choice {
	if len(w.parts) != 3 || w.parts[0].text+w.parts[2].text != "" || w.parts[1].quoted || !w.parts[1].assigned {
		return nil
	}
	list := known[w.parts[1].variable]
	open := false
	for _, choice := range list {
		open = open || choice.IsPrefix
		if choice.IsPrefix && choice.Pattern == "" || !choice.IsPrefix && !isOneWord(choice.Text) {
			return nil
		}
	}
	if !open || len(list) > MaxChoices {
		return nil
	}
	return list
}

// isOneWord reports whether an unquoted value is certainly one word.
func isOneWord(text string) bool { return text != "" && spelling.Ordinary(text) }

// Choose returns the possible values of a word, or nil if they are unknown. Unquoted, a value is
// one word only if it has no character that is special in a shell.
func (w *Word) Choose(known map[string][]Choice) []Choice {
	if len(w.parts) == 0 {
		return nil
	}
	all := []Choice{{}}
	for _, part := range w.parts {
		values := []Choice{{Text: part.text}}
		if part.variable != "" {
			values = known[part.variable]
		}
		if part.variable != "" && (!part.assigned || len(values) == 0 || len(all)*len(values) > MaxChoices) {
			return nil
		}
		longer := make([]Choice, 0, len(all)*len(values))
		for _, before := range all {
			for _, choice := range values {
				switch {
				case part.variable != "" && !part.quoted && (choice.IsPrefix || !isOneWord(choice.Text)):
					return nil
				case before.IsPrefix:
					if choice.Text != "" || part.variable != "" {
						before.Pattern = ""
					}
					longer = append(longer, before)
				default:
					next := Choice{Text: before.Text + choice.Text, IsPrefix: choice.IsPrefix}
					if before.Text == "" {
						next.Pattern = choice.Pattern
					}
					longer = append(longer, next)
				}
			}
		}
		all = longer
	}
	return all
}

// AllKnown reports whether all possible values of a word are known in full.
func (w *Word) AllKnown() bool {
	return len(w.Choices) > 0 && !slices.ContainsFunc(w.Choices, func(item Choice) bool { return item.IsPrefix })
}

// Reading returns the value in the form that readers of options expect.
func (c Choice) Reading() string {
	if c.IsPrefix {
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
			for _, choice := range choices {
				with := slices.Clone(before)
				with[i] = choice.Reading()
				longer = append(longer, with)
			}
		}
		all = longer
	}
	return all
}

// Patterns returns the patterns of file names of which the values of a word are matches: the word
// itself, or those over which the loop of its variable iterates. It is nil if another value is not
// known in full.
func (w *Word) Patterns() (list []string) {
	if w.globs+w.homeGlobs != "" {
		return []string{w.globs + w.homeGlobs}
	}
	for _, choice := range w.Choices {
		switch {
		case choice.Pattern != "":
			list = append(list, choice.Pattern)
		case choice.IsPrefix:
			return nil
		}
	}
	return list
}
