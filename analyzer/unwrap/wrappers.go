package unwrap

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
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

// dispatches reports whether a wrapper of this kind runs the command that follows its own words.
func dispatches(kind string) bool {
	return kind == kindDispatcher || kind == kindPrivilege || kind == kindBuiltin
}

// Wrappers says how the words of programs that run other commands are read, by program name. A
// program with a word that its entry does not mark is opaque.
type Wrappers struct {
	programs map[string]*wrapper
	embeds   map[string]*programs.Embeds
	runners  map[string]*programs.Runner
	named    map[string]*programs.ActsByName
	filters  map[string]*programs.FiltersLines
	tracking map[string]*programs.ListsTrackedFiles
	leaves   map[string]*programs.IgnoresInput

	printsWords map[string]bool // programs and builtins whose output consists of their words
}

// wrapper is the vocabulary of one program.
type wrapper struct {
	*programs.Wrapper
	options  argv.Grammar
	letters  string   // for a shell: its single-letter options
	unsets   []string // options whose value is the name of a variable
	replaces []string // options whose value is the placeholder for the words that are added
	limits   []string // options that are valid only if words are added
	// For a shell: the options with which it reads login files, and those with which it reads
	// none.
	logins, profileless []string
}

// newWrappers reads the wrappers from a catalog.
func newWrappers(catalog *programs.Catalog) (*Wrappers, error) {
	w := &Wrappers{programs: map[string]*wrapper{}, embeds: map[string]*programs.Embeds{}, runners: map[string]*programs.Runner{}, named: map[string]*programs.ActsByName{},
		filters: map[string]*programs.FiltersLines{}, tracking: map[string]*programs.ListsTrackedFiles{}, leaves: map[string]*programs.IgnoresInput{}, printsWords: map[string]bool{}}
	var wrong []error
	for _, e := range catalog.Entries() {
		if e.Wrapper != nil {
			own := newWrapper(e)
			if err := own.check(e.Name); err != nil {
				wrong = append(wrong, fmt.Errorf("wrappers: %s: %w", e.Name, err))
			}
			w.programs[e.Name] = own
		}
		if e.Embeds != nil {
			w.embeds[e.Name] = e.Embeds
		}
		if e.Runner != nil {
			w.runners[e.Name] = e.Runner
		}
		if e.ActsByName != nil {
			w.named[e.Name] = e.ActsByName
		}
		if e.FiltersLines != nil {
			w.filters[e.Name] = e.FiltersLines
		}
		if e.ListsTrackedFiles != nil {
			w.tracking[e.Name] = e.ListsTrackedFiles
		}
		w.printsWords[e.Name] = e.PrintsItsWords
		if e.IgnoresInput != nil {
			w.leaves[e.Name] = e.IgnoresInput
		}
	}
	return w, errors.Join(wrong...)
}

func newWrapper(e *programs.Entry) *wrapper {
	dash := argv.DashWrong
	if e.Wrapper.DashIsOption {
		dash = argv.DashEnds
	}
	w := &wrapper{Wrapper: e.Wrapper, options: argv.Grammar{Options: map[string]argv.Option{}, EndAtOperand: true,
		Exact: argv.Exact{On: true, Numbers: e.Wrapper.NumberIsOption, Dash: dash}}}
	for _, o := range e.Options {
		if !o.Wrapper {
			continue
		}
		for _, name := range o.Names {
			w.options.Options[name] = argv.Option{Name: name, Takes: o.Value.Takes(), MinusOnly: o.MinusOnly}
			if len(name) == 2 {
				w.letters += name[1:]
			}
			for list, belongs := range map[*[]string]bool{&w.unsets: o.UnsetsVariable, &w.replaces: o.ReplacesWords, &w.limits: o.LimitsWords, &w.logins: o.Login, &w.profileless: o.NoProfile} {
				if belongs {
					*list = append(*list, name)
				}
			}
		}
	}
	if w.Kind == kindShell {
		w.options = shellGrammar(w.options.Options)
	}
	return w
}

// shellGrammar is how shells read their own words. Single letters come in any order and in
// clusters. -o ends a cluster, with its value in the next word. Some letters may be set with +
// instead of -. A lone - or -- ends the options. Long options are bash's, and come before all
// others. No other option has a value: the text of -c is the first operand.
func shellGrammar(listed map[string]argv.Option) argv.Grammar {
	for name, o := range listed {
		o.Takes = argv.None
		listed[name] = o
	}
	listed["-o"] = argv.Option{Name: "-o", Takes: argv.Value}
	return argv.Grammar{Options: listed, EndAtOperand: true,
		Exact: argv.Exact{On: true, ValuesAreWords: true, Plus: true, LongFirst: true, Dash: argv.DashEnds}}
}

// login reports whether a shell's own words make it read the start-up files of a login shell.
func (w *wrapper) login(own []string) bool {
	read := w.options.Read(own[1:], 1)
	return read.Has(w.logins) && !read.Has(w.profileless)
}

// check returns what is wrong with the vocabulary of a program.
func (w *wrapper) check(name string) error {
	_, readable := shell.Grammar(name)
	switch {
	case w.Kind != kindShell && w.Kind != kindMultiplexer && !dispatches(w.Kind):
		return fmt.Errorf("kind is %q: want shell, dispatcher, multiplexer, privilege or builtin", w.Kind)
	case !letters(w.letters):
		return errors.New("its options must be letters and digits, each listed once")
	case w.OperandsBeforeCommand < 0:
		return errors.New("operands_before_command is negative")
	case w.Kind == kindShell && (!readable || !strings.Contains(w.letters, "c")):
		return errors.New("a shell needs a grammar and the option -c")
	case w.Kind == kindShell && (strings.Contains(w.letters, "o") || w.OperandsBeforeCommand > 0):
		return errors.New("only -o of a shell has values, which option_words lists")
	case w.Kind != kindShell && len(w.OptionWords)+len(w.logins)+len(w.profileless) > 0, !dispatches(w.Kind) && w.dispatching(),
		w.Kind != kindMultiplexer && len(w.Shells)+len(w.Applets) > 0:
		return errors.New("a member belongs to another kind")
	}
	for _, name := range w.Shells {
		if _, readable := shell.Grammar(name); !readable {
			return fmt.Errorf("shells: %s has no grammar", name)
		}
	}
	return nil
}

// dispatching reports whether an entry has a member that only a dispatcher may have.
func (w *wrapper) dispatching() bool {
	return w.NumberIsOption || w.DashIsOption || w.Assignments || w.JoinsWords || w.AddsWords ||
		len(w.unsets)+len(w.Requires)+len(w.replaces)+len(w.limits) > 0
}

// letters reports whether s consists of ASCII letters and digits, without repetitions.
func letters(s string) bool {
	for i := range len(s) {
		c := s[i]
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9') || strings.IndexByte(s[:i], c) >= 0 {
			return false
		}
	}
	return true
}

// find returns the vocabulary for a program that was called by a name. opaque says why it does
// not apply. A program that wraps nothing has neither.
//
// The name must be the one in the table, and the file behind it must be known under that name,
// because another file may read its words differently. programs are the names under which
// the tables may list it.
func (w *Wrappers) find(name, realName string, programs []string) (wrapper *wrapper, known bool, opaque string) {
	wrapper, known = w.programs[name]
	if !known {
		for _, other := range programs {
			if _, wraps := w.programs[other]; wraps {
				return wrapper, false, name + ", another name for " + other
			}
		}
		return wrapper, false, ""
	}
	if realName != "" && realName != name && !slices.Contains(wrapper.RealNames, realName) {
		return wrapper, false, name + ", which is " + realName
	}
	return wrapper, true, ""
}
