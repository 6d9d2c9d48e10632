package unwrap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// Builtins says how the words of shell builtins are read, by name, and which names have a meaning
// in a shell. A command with a word that its entry does not mark is opaque.
type Builtins struct {
	commands map[string]builtin
	names    map[string]bool
}

// builtin is the vocabulary of one builtin.
type builtin struct {
	programs.Builtin
	options argv.Grammar
	values  map[string]string // options with a value, and what kind of value
}

// newBuiltins reads the builtins from a catalog.
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
		b := newBuiltin(e)
		if err := b.check(); err != nil {
			wrong = append(wrong, fmt.Errorf("builtins: %s: %w", e.Name, err))
		}
		all.commands[e.Name] = b
	}
	return all, errors.Join(wrong...)
}

// newBuiltin reads one builtin. Its words are read as getopt reads them, up to the first operand.
func newBuiltin(e *programs.Entry) builtin {
	b := builtin{Builtin: *e.Builtin, values: map[string]string{}}
	b.options = argv.Grammar{Options: map[string]argv.Option{}, EndAtOperand: true, Exact: argv.Exact{On: true, Plus: b.Plus, Dash: argv.DashOperand}}
	for _, o := range e.Options {
		if o.Builtin == "" {
			continue
		}
		for _, name := range o.Names {
			listed := argv.Option{Name: name}
			if o.Builtin != "flag" {
				listed.Takes, b.values[name] = argv.Value, o.Builtin
			}
			if o.Builtin == valueOption {
				b.options.Exact.ValuesAreWords = true
			}
			b.options.Options[name] = listed
		}
	}
	return b
}

// check reports what is wrong with an entry.
func (b *builtin) check() error {
	kinds := []string{"none", "any", "directory", "number", "names", "unset", "parameters", "trap", wordsQuery}
	if !slices.Contains(kinds, b.Words) {
		return fmt.Errorf("words is %q: want one of %s", b.Words, strings.Join(kinds, ", "))
	}
	for name := range b.options.Options {
		if len(name) != 2 || !letters(name[1:]) {
			return fmt.Errorf("option %s: want one letter", name)
		}
	}
	for _, kind := range b.values {
		if b.options.Exact.ValuesAreWords && kind != valueOption {
			return errors.New("the values of its options are all words of their own, or none is")
		}
	}
	return nil
}

// wordsQuery is the kind of words with which a builtin reports what a name is.
const wordsQuery = "query"

// The kinds of value that an option of a builtin may have.
const (
	valueNumber = "number"
	valueText   = "text"
	valueOption = "option_word"
)

// onlyAsks reports whether the words ask about a name, for a builtin of which only such words are
// read.
func (b builtin) onlyAsks(words []shell.Word) bool {
	switch {
	case b.Words != wordsQuery:
		return true
	case len(b.Queries) > 0:
		return len(words) > 1 && !words[1].Dynamic && slices.Contains(b.Queries, words[1].Text)
	default:
		if b.startsWithOption(words) {
			words = words[1:]
		}
		return len(words) == 2 && !words[1].Dynamic && !strings.HasPrefix(words[1].Text, "-")
	}
}

// startsWithOption reports whether the first word after the name is an option that the entry lists.
func (b builtin) startsWithOption(words []shell.Word) bool {
	if len(words) < 2 || words[1].Dynamic {
		return false
	}
	_, listed := b.options.Options[words[1].Text]
	return listed
}

// printed reports whether the words are printed as the words of a different builtin. One with an option
// is not, because the other has no such option.
func (b builtin) printed(words []shell.Word) bool {
	return len(b.PrintedAs) > 0 && !b.startsWithOption(words)
}

// print returns the words of a builtin that is printed as a different one.
func (b builtin) print(words []shell.Word) (all []shell.Word) {
	for _, text := range b.PrintedAs {
		all = append(all, shell.Word{Text: text})
	}
	return append(all, words[1:]...)
}

// form is the form of the values that a builtin gives its variables.
func (b builtin) form() string {
	if b.Words == "unset" {
		return shell.FormNone
	}
	return shell.FormDynamic
}

// builtinWords is the result of reading the words of a builtin.
type builtinWords struct {
	opaque string   // why the words cannot be read; then the rest is meaningless
	names  []string // variables that it sets or unsets
	text   string   // the text that it runs, if own is not 0
	own    int      // number of words before the text
	after  int      // the first word after the text
}

// read reads the words of a builtin. The first is its name.
func (b builtin) read(words []shell.Word) builtinWords {
	refuse := func(what string) builtinWords {
		return builtinWords{opaque: shell.Excerpt(words[0].Text + " " + what)}
	}
	options := b.readOptions(words)
	if options.wrong != "" {
		return refuse(options.wrong)
	}
	if b.Words == "parameters" && len(words) == 1 { // set then shows every variable, those of the environment too
		return refuse("without words")
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
		case b.Words == "none", b.Words == "number" && !spelling.Digits(strings.TrimPrefix(o.Text, "%")), b.takesNames() && !spelling.Portable(o.Text):
			return refuse("with " + o.Text)
		case b.takesNames():
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

// takesNames reports whether the operands are names of variables.
func (b builtin) takesNames() bool { return b.Words == "names" || b.Words == "unset" }

// builtinOptions is the result of reading the options of a builtin: where the operands begin, and
// what cannot be read.
type builtinOptions struct {
	next  int
	ended bool     // options were ended by --
	names []string // values that another shell would read as variables
	wrong string
}

// readOptions reads the options of a builtin.
func (b builtin) readOptions(words []shell.Word) (o builtinOptions) {
	if b.Words == "any" || b.Words == wordsQuery {
		return builtinOptions{next: 1}
	}
	texts := make([]string, len(words)-1)
	for i := range texts {
		if texts[i] = words[i+1].Text; words[i+1].Dynamic {
			texts[i] = argv.Unknown
		}
	}
	read := b.options.Read(texts, 1)
	o.next, o.ended = 1+read.Next, read.Ended
	for _, g := range read.Options {
		word, kind := words[g.Index].Text, b.values[g.Name]
		switch {
		case !g.HasValue:
		case words[g.ValueIndex].Dynamic:
			o.wrong = word + " with an unknown value"
			return o
		case !b.takes(kind, g.Value):
			o.wrong = word + " with the value " + g.Value
			return o
		case spelling.Portable(g.Value) && kind != valueOption:
			o.names = append(o.names, g.Value)
		}
	}
	switch u := read.Unread; {
	case u == nil:
	case u.Why == argv.WhyNoValue:
		o.wrong = u.Word + " with an unknown value"
	default:
		o.wrong = u.Word
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
