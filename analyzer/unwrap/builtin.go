package unwrap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// Builtins says how the words of commands are read that a shell runs by itself, by their
// names, and which names mean something to a shell at all. With a word that is not marked
// in its entry, a command is opaque.
type Builtins struct {
	commands map[string]builtin
	names    map[string]bool
}

// builtin is the vocabulary of one command.
type builtin struct {
	programs.Builtin
	flags  string            // letters without a value
	values map[string]string // letters with one, and what it is
}

// newBuiltins takes the builtins of a catalog over.
func newBuiltins(catalog *programs.Catalog) (*Builtins, error) {
	all := &Builtins{commands: map[string]builtin{}, names: map[string]bool{}}
	for _, word := range slices.Concat(catalog.Words().Words, catalog.Words().Builtins) {
		all.names[word] = true
	}
	var wrong []error
	for _, e := range catalog.Entries() {
		if e.ShellWord {
			all.names[e.Name] = true
		}
		if e.Builtin == nil {
			continue
		}
		b := builtin{Builtin: *e.Builtin, values: map[string]string{}}
		for _, o := range e.Options {
			for _, name := range o.Names {
				b.add(strings.TrimPrefix(name, "-"), o.Builtin)
			}
		}
		if err := b.check(); err != nil {
			wrong = append(wrong, fmt.Errorf("builtins: %s: %w", e.Name, err))
		}
		all.commands[e.Name] = b
	}
	return all, errors.Join(wrong...)
}

func (b *builtin) add(letter, kind string) {
	switch kind {
	case "":
	case "flag":
		b.flags += letter
	default:
		b.values[letter] = kind
	}
}

// check reports what is wrong with an entry.
func (b *builtin) check() error {
	kinds := []string{"none", "any", "directory", "number", "names", "unset", "parameters", "trap", wordsQuery}
	if !slices.Contains(kinds, b.Words) {
		return fmt.Errorf("words is %q: want one of %s", b.Words, strings.Join(kinds, ", "))
	}
	for letter := range b.values {
		if len(letter) != 1 {
			return fmt.Errorf("option %s: want one letter", letter)
		}
	}
	if !letters(b.flags) {
		return errors.New("its options must be letters, each listed once")
	}
	return nil
}

// wordsQuery is the kind of words of a builtin that says what a name is.
const wordsQuery = "query"

// The kinds of value that an option of a builtin has.
const (
	valueNumber = "number"
	valueText   = "text"
	valueOption = "option_word"
)

// asks reports whether words are a question about a name, where only some are.
func (b builtin) asks(words []shell.Word) bool {
	switch {
	case b.Words != wordsQuery:
		return true
	case len(b.Queries) > 0:
		return len(words) > 1 && !words[1].Dynamic && slices.Contains(b.Queries, words[1].Text)
	default:
		return len(words) == 2 && !words[1].Dynamic && !strings.HasPrefix(words[1].Text, "-")
	}
}

// print returns the words of a builtin that is printed as another one.
func (b builtin) print(words []shell.Word) (all []shell.Word) {
	for _, text := range b.PrintedAs {
		all = append(all, shell.Word{Text: text})
	}
	return append(all, words[1:]...)
}

// form is the form of what a builtin gives its variables.
func (b builtin) form() string {
	if b.Words == "unset" {
		return shell.FormNone
	}
	return shell.FormDynamic
}

// builtinWords is what the words of a builtin say.
type builtinWords struct {
	opaque string   // why that cannot be said; then the rest means nothing
	names  []string // variables that it sets or takes away
	text   string   // that it runs, when own is not 0
	own    int      // how many words stand before the text
	after  int      // the first word behind the text
}

// read reads the words of a builtin. The first is its name.
func (b builtin) read(words []shell.Word) builtinWords {
	refuse := func(what string) builtinWords {
		return builtinWords{opaque: shell.Excerpt(words[0].Text + " " + what)}
	}
	options := b.options(words)
	if options.wrong != "" {
		return refuse(options.wrong)
	}
	next := options.next
	operands := words[next:]
	read := builtinWords{names: options.names}
	for _, o := range operands {
		switch {
		case b.Words == "any", b.Words == "directory", b.Words == wordsQuery:
		case b.Words == "parameters" && o.Form() == shell.FormEvaluates:
			return refuse("with a word that would run something if a shell evaluated it, " + o.Text)
		case b.Words == "parameters" && (options.ended || !o.Dynamic):
		case b.Words == "number" && (shell.Numeric(strings.Trim(o.Text, `"`)) || strings.Trim(o.Text, `"`) == "$!"):
		case o.Dynamic:
			return refuse("with a word produced at run time")
		case b.Words == "none", b.Words == "number" && !spelling.Digits(strings.TrimPrefix(o.Text, "%")), b.named() && !spelling.Portable(o.Text):
			return refuse("with " + o.Text)
		case b.named():
			read.names = append(read.names, o.Text)
		}
	}
	if b.Words == "trap" && slices.ContainsFunc(operands[min(1, len(operands)):], func(o shell.Word) bool { return !spelling.Portable(o.Text) && !spelling.Digits(o.Text) }) {
		return refuse("with operands other than signals")
	}
	if b.Words == "trap" && len(operands) > 1 && operands[0].Text != "-" && operands[0].Text != "" {
		read.text, read.own, read.after = operands[0].Text, next, next+1
	}
	return read
}

// named reports whether the operands are names of variables.
func (b builtin) named() bool { return b.Words == "names" || b.Words == "unset" }

// builtinOptions is what the options of a builtin say: where the operands begin, and
// what cannot be read.
type builtinOptions struct {
	next  int
	ended bool     // by --
	names []string // values that another shell would take for variables
	wrong string
}

// options reads the options of a builtin, as getopt does.
func (b builtin) options(words []shell.Word) (o builtinOptions) {
	for o.next = 1; o.next < len(words) && b.Words != "any" && b.Words != wordsQuery; o.next++ {
		text := words[o.next].Text
		minus := strings.HasPrefix(text, "-")
		switch {
		case words[o.next].Dynamic || text == "-", !minus && !(b.Plus && strings.HasPrefix(text, "+")):
			return o
		case text == "--":
			o.next++
			o.ended = true
			return o
		}
		kind, value, ok := b.cluster(text[1:])
		if !ok {
			o.wrong = text
			return o
		}
		if kind == "" {
			continue
		}
		if value == "" {
			o.next++
			if o.next == len(words) || words[o.next].Dynamic {
				o.wrong = text + " with an unknown value"
				return o
			}
			value = words[o.next].Text
		}
		if !b.takes(kind, value) {
			o.wrong = text + " with the value " + value
			return o
		}
		if spelling.Portable(value) && kind != valueOption {
			o.names = append(o.names, value)
		}
	}
	return o
}

// takes reports whether a value is of a kind.
func (b builtin) takes(kind, value string) bool {
	switch kind {
	case valueNumber:
		whole, part, found := strings.Cut(value, ".")
		return spelling.Digits(whole) && (!found || spelling.Digits(part))
	case valueText:
		return !shell.Evaluates(value)
	default:
		return slices.Contains(b.OptionWords, value)
	}
}

// cluster reads the letters of one word. Where the last of them takes a value it returns
// the kind of it, and the value unless that is the next word.
func (b builtin) cluster(letters string) (kind, value string, ok bool) {
	for i := range len(letters) {
		letter := letters[i : i+1]
		if strings.Contains(b.flags, letter) {
			continue
		}
		kind, known := b.values[letter]
		value := letters[i+1:]
		return kind, value, known && (kind != valueOption || value == "")
	}
	return "", "", letters != ""
}
