package analyzer

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Builtins says how the words of commands are read that a shell runs by itself, by
// their names. It is data: rego/gavel/catalog/builtins/data.yaml, which explains each
// member. A word that is not in it makes the command opaque.
type Builtins map[string]Builtin

// Builtin is the vocabulary of one command.
type Builtin struct {
	Flags   string   `yaml:"flags"`
	Values  string   `yaml:"values"`
	Plus    bool     `yaml:"plus"`
	Options []string `yaml:"options"`
	Words   string   `yaml:"words"`
}

// ReadBuiltins reads the table from YAML, strictly.
func ReadBuiltins(text []byte) (Builtins, error) {
	var file struct {
		Commands Builtins `yaml:"commands"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("read the table of builtins: %w", err)
	}
	if len(file.Commands) == 0 {
		return nil, errors.New("read the table of builtins: commands is missing or empty")
	}
	kinds := []string{"none", "any", "directory", "number", "names", "parameters", "trap"}
	for name, b := range file.Commands {
		if name == "" || strings.Contains(name, "/") || !slices.Contains(kinds, b.Words) {
			return nil, fmt.Errorf("read the table of builtins: %q: words is %q: want one of %s", name, b.Words, strings.Join(kinds, ", "))
		}
	}
	return file.Commands, nil
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
func (b Builtin) read(words []word) builtinWords {
	refuse := func(what string) builtinWords {
		return builtinWords{opaque: excerpt(words[0].text + " " + what)}
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
		case b.Words == "any", b.Words == "directory":
		case b.Words == "parameters" && (options.ended || !o.dynamic):
		case b.Words == "number" && (numeric(strings.Trim(o.text, `"`)) || strings.Trim(o.text, `"`) == "$!"):
		case o.dynamic:
			return refuse("with a word made at run time")
		case b.Words == "none", b.Words == "number" && !digits(strings.TrimPrefix(o.text, "%")), b.Words == "names" && !portable(o.text):
			return refuse("with " + o.text)
		case b.Words == "names":
			read.names = append(read.names, o.text)
		}
	}
	if b.Words == "trap" && len(operands) > 1 && operands[0].text != "-" && operands[0].text != "" {
		read.text, read.own, read.after = operands[0].text, next, next+1
	}
	return read
}

// builtinOptions is what the options of a builtin say: where the operands begin, and
// what cannot be read.
type builtinOptions struct {
	next  int
	ended bool     // by --
	names []string // values that another shell would take for variables
	wrong string
}

// options reads the options of a builtin, as getopt does.
func (b Builtin) options(words []word) (o builtinOptions) {
	for o.next = 1; o.next < len(words) && b.Words != "any"; o.next++ {
		text := words[o.next].text
		minus := strings.HasPrefix(text, "-")
		switch {
		case words[o.next].dynamic || text == "-", !minus && !(b.Plus && strings.HasPrefix(text, "+")):
			return o
		case text == "--":
			o.next++
			o.ended = true
			return o
		}
		value, ok := b.cluster(text[1:])
		if !ok {
			o.wrong = text
			return o
		}
		if !value {
			continue
		}
		o.next++
		if o.next == len(words) || words[o.next].dynamic || len(b.Options) > 0 && !slices.Contains(b.Options, words[o.next].text) {
			o.wrong = text + " with an unknown value"
			return o
		}
		if portable(words[o.next].text) && len(b.Options) == 0 {
			o.names = append(o.names, words[o.next].text)
		}
	}
	return o
}

// cluster reads the letters of one word, and reports whether the last of them takes
// the next word.
func (b Builtin) cluster(letters string) (value, ok bool) {
	for i := range len(letters) {
		switch {
		case strings.IndexByte(b.Flags, letters[i]) >= 0:
		case strings.IndexByte(b.Values, letters[i]) >= 0:
			return i == len(letters)-1, i == len(letters)-1 || len(b.Options) == 0
		default:
			return false, false
		}
	}
	return false, letters != ""
}
