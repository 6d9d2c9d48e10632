package analyzer

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The kinds of wrapper; [gavel.Wrapper] lists them.
const (
	kindShell       = "shell"
	kindDispatcher  = "dispatcher"
	kindMultiplexer = "multiplexer"
	kindPrivilege   = "privilege"
	kindLogin       = "login" // a shell that reads start-up files before what it is given
	kindBuiltin     = "builtin"
)

// dispatches reports whether a wrapper of this kind runs the command that its words
// end with.
func dispatches(kind string) bool {
	return kind == kindDispatcher || kind == kindPrivilege || kind == kindBuiltin
}

// Wrappers says how the words of programs that run another command are read, by
// the program's name. It is data: rego/gavel/catalog/wrappers/data.yaml, which
// explains each member. A word that is not in it makes the program opaque.
type Wrappers struct {
	programs map[string]*Wrapper
	embeds   map[string]Embed
	runners  map[string]Runner
	named    map[string]named
}

// Wrapper is the vocabulary of one program.
type Wrapper struct {
	Kind        string   `yaml:"kind"`
	Real        []string `yaml:"real"`
	Flags       string   `yaml:"flags"`
	Values      string   `yaml:"values"`
	LongFlags   []string `yaml:"long_flags"`
	LongValues  []string `yaml:"long_values"`
	Number      bool     `yaml:"number"`
	Operands    int      `yaml:"operands"`
	Dash        bool     `yaml:"dash"`
	Assignments bool     `yaml:"assignments"`
	Unsets      []string `yaml:"unsets"`
	Options     []string `yaml:"options"`
	Shells      []string `yaml:"shells"`
	Applets     []string `yaml:"applets"`
	Login       []string `yaml:"login"`
	Profileless []string `yaml:"profileless"`

	Attached     string     `yaml:"attached"`
	LongOptional []string   `yaml:"long_optional"`
	Words        []string   `yaml:"words"`
	WordValues   []string   `yaml:"word_values"`
	Requires     [][]string `yaml:"requires"`
	Joined       bool       `yaml:"joined"`
	Stdin        bool       `yaml:"stdin"`
	Replaces     []string   `yaml:"replaces"`
	Limits       []string   `yaml:"limits"`
	Queries      []string   `yaml:"queries"`
}

// ReadWrappers reads the table from YAML, strictly: a member that is not known,
// or that says nothing about a program of its kind, is an error.
func ReadWrappers(text []byte) (*Wrappers, error) {
	var file struct {
		Programs map[string]*Wrapper `yaml:"programs"`
		Embeds   map[string]Embed    `yaml:"embeds"`
		Runners  map[string]Runner   `yaml:"runners"`
		Named    map[string]named    `yaml:"named"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("read the table of wrappers: %w", err)
	}
	if len(file.Programs) == 0 {
		return nil, errors.New("read the table of wrappers: programs is missing or empty")
	}
	for name, w := range file.Programs {
		if w == nil {
			return nil, fmt.Errorf("read the table of wrappers: %s says nothing", name)
		}
		if err := w.check(name); err != nil {
			return nil, fmt.Errorf("read the table of wrappers: %s: %w", name, err)
		}
		for _, applet := range w.Applets {
			if _, wraps := file.Programs[applet]; wraps || applet == "" {
				return nil, fmt.Errorf("read the table of wrappers: %s: the applet %q runs other commands, or is empty", name, applet)
			}
		}
	}
	for name, e := range file.Embeds {
		if _, wraps := file.Programs[name]; wraps || len(e.Commands) == 0 {
			return nil, fmt.Errorf("read the table of wrappers: %s: a program that embeds commands is no wrapper, and has words for them", name)
		}
	}
	for name, r := range file.Runners {
		if _, wraps := file.Programs[name]; wraps || r.Folder == "" || r.Folder != path.Clean(r.Folder) || path.IsAbs(r.Folder) {
			return nil, fmt.Errorf("read the table of wrappers: %s: a runner is no wrapper, and has a folder of tools", name)
		}
	}
	for name, n := range file.Named {
		if name != foldName(name) || len(n.Names) == 0 && n.Place == "" {
			return nil, fmt.Errorf("read the table of wrappers: %s: a program that acts by its name is in lower case, and has names or a place", name)
		}
	}
	return &Wrappers{file.Programs, file.Embeds, file.Runners, file.Named}, nil
}

// login reports whether a shell's own words make it read the start-up files of a login
// shell.
func (w *Wrapper) login(own []string) bool {
	given := func(options []string) bool {
		return slices.ContainsFunc(own[1:], func(word string) bool {
			if long, ok := strings.CutPrefix(word, "--"); ok {
				return slices.Contains(options, long)
			}
			letters, ok := strings.CutPrefix(word, "-")
			return ok && slices.ContainsFunc(options, func(option string) bool { return len(option) == 1 && strings.Contains(letters, option) })
		})
	}
	return given(w.Login) && !given(w.Profileless)
}

// check returns what is wrong with the vocabulary of a program.
func (w *Wrapper) check(name string) error {
	_, readable := grammar(name)
	switch {
	case name == "" || name != foldName(name) || strings.Contains(name, "/"):
		return errors.New("the name is no base name in lower case")
	case w.Kind != kindShell && w.Kind != kindMultiplexer && !dispatches(w.Kind):
		return fmt.Errorf("kind is %q: want shell, dispatcher, multiplexer, privilege or builtin", w.Kind)
	case !letters(w.Flags + w.Values + w.Attached):
		return errors.New("flags and values hold a letter twice, or something else than letters and digits")
	case slices.Contains(append(slices.Clone(w.LongFlags), w.LongValues...), ""):
		return errors.New("a long option is empty")
	case w.Operands < 0:
		return errors.New("operands is negative")
	case w.Kind == kindShell && (!readable || !strings.Contains(w.Flags, "c")):
		return errors.New("a shell needs a grammar and the flag c")
	case w.Kind == kindShell && (strings.Contains(w.Flags, "o") || w.Values != "" || len(w.LongValues) > 0 || w.Operands > 0):
		return errors.New("a shell has no values but those of -o, which options lists")
	case w.Kind != kindShell && len(w.Options)+len(w.Login)+len(w.Profileless) > 0, !dispatches(w.Kind) && w.dispatching(),
		w.Kind != kindMultiplexer && len(w.Shells)+len(w.Applets) > 0:
		return errors.New("a member belongs to another kind")
	}
	for _, shell := range w.Shells {
		if _, readable := grammar(shell); !readable {
			return fmt.Errorf("shells: %s has no grammar", shell)
		}
	}
	return nil
}

// dispatching reports whether there is a member that only a dispatcher has.
func (w *Wrapper) dispatching() bool {
	return w.Number || w.Dash || w.Assignments || w.Joined || w.Stdin || w.Attached != "" ||
		len(w.Unsets)+len(w.LongOptional)+len(w.Words)+len(w.WordValues)+len(w.Requires)+len(w.Replaces)+len(w.Limits)+len(w.Queries) > 0
}

// letters reports whether s is ASCII letters and digits, none of them twice.
func letters(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') || strings.IndexByte(s[:i], c) >= 0 {
			return false
		}
	}
	return true
}

// find returns the vocabulary for a program that was called by a name, and why it
// does not hold for it. A program that wraps nothing has neither.
//
// The name must be the table's own, and the file behind it one that is known to go
// by that name: what another file does with its words is not known. programs are the names
// that tables may have it under.
func (w *Wrappers) find(name, realName string, programs []string) (wrapper *Wrapper, known bool, opaque string) {
	wrapper, known = w.programs[name]
	if !known {
		for _, other := range programs {
			if _, wraps := w.programs[other]; wraps {
				return wrapper, false, name + ", another name for " + other
			}
		}
		return wrapper, false, ""
	}
	if realName != "" && realName != name && !slices.Contains(wrapper.Real, realName) {
		return wrapper, false, name + ", which is " + realName
	}
	return wrapper, true, ""
}
