package unwrap

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

// Code has the rules for which words of a command line name code files, and which files a program
// loads as code.
type Code struct {
	programs map[string]*codeGrammar
	system   []string // directories whose programs only root can change
	emits    map[string]bool
	shows    map[string]bool
	data     map[string]bool
	fold     *programs.Fold
}

// codeGrammar has the rules for one program, or for one of its sub-commands.
type codeGrammar struct {
	*programs.Code
	options  map[string]argv.Option // by name
	ends     []string               // options whose values are code
	before   *codeGrammar           // for the words before a sub-command
	commands map[string]*codeGrammar
}

// Which operands are code.
const (
	operandFirst = "first"
	operandAll   = "all"
)

// The reasons why code is not bound to a file. data.gavel.catalog.exec.unbound has the messages.
const (
	whyMissing  = "missing"  // the file is not there, or cannot be read
	whyDynamic  = "dynamic"  // the word is produced at run time
	whyStdin    = "stdin"    // it comes from standard input
	whyLarge    = "large"    // the file is too large to be read
	whyClaimed  = "claimed"  // it is on a machine where no lookups are possible
	whyModule   = "module"   // it is an installed module
	whyDownload = "download" // it may be fetched from elsewhere
	whyProject  = "project"  // the project's own code, in files that are not named
	whyOpaque   = "opaque"   // the words were not understood
)

func unboundReasons() []string {
	return []string{whyMissing, whyDynamic, whyStdin, whyLarge, whyClaimed, whyModule, whyDownload, whyProject, whyOpaque}
}

// newCode reads from a catalog what it says about code.
func newCode(catalog *programs.Catalog, system []string) (*Code, error) {
	c := &Code{programs: map[string]*codeGrammar{}, system: system, emits: map[string]bool{}, shows: map[string]bool{}, data: map[string]bool{}, fold: catalog.Fold()}
	made := map[*programs.Code]*codeGrammar{}
	var wrong []error
	for _, e := range catalog.Entries() {
		c.emits[e.Name], c.shows[e.Name], c.data[e.Name] = e.PrintsItsInput, e.ShowsFiles, e.HarmlessWords
		from := catalog.CodeOf(e)
		if from == nil {
			continue
		}
		if made[from] == nil {
			n, err := newNaming(from)
			if err != nil {
				wrong = append(wrong, fmt.Errorf("code: %s: %w", e.Name, err))
			}
			made[from] = n
		}
		for _, name := range e.Names() {
			c.programs[name] = made[from]
		}
	}
	return c, errors.Join(wrong...)
}

func newNaming(from *programs.Code) (*codeGrammar, error) {
	n := &codeGrammar{Code: from, options: map[string]argv.Option{}, commands: map[string]*codeGrammar{}}
	for _, o := range from.Options {
		for _, name := range o.Names {
			n.options[name] = argv.Option{Name: name, Takes: o.Value.Takes()}
		}
	}
	for _, name := range slices.Concat(from.Files, from.Modules, from.Directories, from.ModuleDirectories) {
		n.options[name] = argv.Option{Name: name, Takes: argv.Value}
	}
	n.ends = slices.DeleteFunc(slices.Clone(from.Unless), func(name string) bool { return slices.Contains(from.Modules, name) })
	if len(from.Subcommands) > 0 {
		var err error
		n.before, err = newNaming(&programs.Code{Files: from.Files, Options: from.Options, Directories: from.Directories, InsteadOfProject: from.InsteadOfProject})
		if err != nil {
			return nil, err
		}
	}
	wrong := []error{n.check()}
	for _, name := range slices.Sorted(maps.Keys(from.Subcommands)) {
		sub := from.Subcommands[name]
		if sub == nil {
			return nil, fmt.Errorf("%s says nothing", name)
		}
		inner, err := newNaming(sub)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
		for _, known := range append([]string{name}, sub.Aliases...) {
			if _, twice := n.commands[known]; twice || known != strings.ToLower(known) {
				wrong = append(wrong, fmt.Errorf("%s occurs twice, or is not in lower case", known))
			}
			n.commands[known] = inner
		}
	}
	return n, errors.Join(wrong...)
}

func (n *codeGrammar) check() error {
	why := cmp.Or(n.Unbound, n.InlineRunsMore)
	switch {
	case !slices.Contains([]string{"", operandFirst, operandAll}, n.Operands):
		return fmt.Errorf("operands: unknown value %q", n.Operands)
	case why != "" && !slices.Contains(unboundReasons(), why):
		return fmt.Errorf("unknown reason %q", why)
	case !slices.Contains([]string{"", "python", "perl", "ruby", "lua", "node"}, n.ModulesLike):
		return fmt.Errorf("modules_like: unknown value %q", n.ModulesLike)
	case slices.ContainsFunc(n.Options, func(o programs.Option) bool {
		return o.Value != programs.ValueNone && o.Value != programs.ValueRequired
	}):
		return errors.New("options: the value of each is none or required")
	case len(n.Modules) > 0 && n.ModulesLike == "":
		return errors.New("modules need modules_like")
	}
	return nil
}

// find returns the rules for a program by the first of its names that is listed.
func (c *Code) find(name string) *codeGrammar {
	if n := c.programs[name]; n != nil || programs.WholeName(name) {
		return n
	}
	for _, known := range c.fold.Of(name) {
		if n := c.programs[known]; n != nil {
			return n
		}
	}
	return nil
}

// isSystem reports whether a real path is in a directory whose programs only root can change.
func (c *Code) isSystem(real string) bool {
	return slices.ContainsFunc(c.system, func(dir string) bool { return host.Within(real, dir) })
}
