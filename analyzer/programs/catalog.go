// Package programs reads the catalog of programs from a policy, and checks it. The catalog has one
// entry per program, which says what the program is, how its arguments are read, and what they mean.
// Everything that Gavel knows about a program by name comes from here. The data, with its
// documentation, is in rego/gavel/catalog/programs.
//
// entry.go has the type [Entry], and the types of its sections are in roles.go (wrappers, builtins,
// safe bins, code), inshell.go (what a builtin does to its shell), walks.go, changed_files.go,
// unpacks.go and changes_paths.go (what a program does to files), and output.go (what it prints). read.go
// and generated.go read the files, check.go checks an entry on its own, and catalog.go checks
// entries against one another and finds them. fold.go folds program names, view.go has what the
// rules read, and describe.go puts an entry into words. Fields have the names of the YAML keys.
//
// The package knows nothing about commands or policy. What an entry means for a decision is up to
// its readers.
package programs

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
)

// Catalog holds every entry. It is immutable and safe for concurrent use.
type Catalog struct {
	entries []*Entry
	byName  map[string]*Entry
	words   Words
	fold    Fold

	families map[string]Family
}

// Words are the words that have a meaning in a shell and are not programs.
type Words struct {
	Words    []string `yaml:"words" json:"words"`       // keywords, functions and builtins
	Builtins []string `yaml:"builtins" json:"builtins"` // builtins that no allowlist entry can permit
}

// Family is what the programs in one folder have in common.
type Family struct {
	About  string `yaml:"about" json:"about"`
	Source string `yaml:"source" json:"source"` // where the facts come from
}

// file is the path of the entry below [Dir].
func (e *Entry) file() string { return path.Join(e.Family, e.Name+".yaml") }

// New builds a catalog from parsed entries, and checks them against one another.
func New(targets, variants []string, words Words, entries ...*Entry) (*Catalog, error) {
	c := &Catalog{entries: entries, byName: map[string]*Entry{}, words: words,
		fold: Fold{targets: targets, variants: variants, gnu: map[string]bool{}, known: map[string][]string{}}}
	var errs []error
	for _, e := range entries {
		for _, name := range e.Names() {
			if other, twice := c.byName[name]; twice {
				errs = append(errs, fmt.Errorf("catalog of programs: %s occurs twice, in %s and %s", name, other.file(), e.file()))
			}
			c.byName[name] = e
		}
		if e.GNU {
			c.fold.gnu[e.Name] = true
		}
	}
	for name := range c.byName {
		c.fold.known[name] = slices.Clip(c.fold.fold(name)) // so that an append copies the list
	}
	for _, word := range slices.Concat(words.Words, words.Builtins) {
		if _, twice := c.byName[word]; twice {
			errs = append(errs, fmt.Errorf("catalog of programs: %s occurs twice, as a word of shells and as a program", word))
		}
	}
	for _, e := range entries {
		if err := c.checkReferences(e); err != nil {
			errs = append(errs, fmt.Errorf("catalog of programs: %s: %w", e.Name, err))
		}
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return c, nil
}

// Names returns all names that an entry applies to: those of the program itself, and those that use
// its description of arguments as the default.
func (e *Entry) Names() []string {
	return slices.Concat([]string{e.Name}, e.Aliases, e.FamilyDefaultFor)
}

// OwnNames returns the names of the program itself.
func (e *Entry) OwnNames() []string { return append([]string{e.Name}, e.Aliases...) }

// checkReferences checks that other entries are as an entry refers to them.
func (c *Catalog) checkReferences(e *Entry) error {
	if e.Like != "" {
		if other := c.byName[e.Like]; other == nil || !other.Described || other.Like != "" {
			return fmt.Errorf("like names %s, which has no description of its own", e.Like)
		}
	}
	if e.Code != nil && e.Code.Like != "" {
		if other := c.byName[e.Code.Like]; other == nil || other.Code == nil || other.Code.Like != "" {
			return fmt.Errorf("code: like names %s, which has no code section", e.Code.Like)
		}
	}
	if e.Wrapper != nil {
		for _, applet := range e.Wrapper.Applets {
			if other := c.byName[applet]; applet == "" || other != nil && (other.Wrapper != nil || other.Opaque != "") {
				return fmt.Errorf("the applet %q runs other commands, or is empty", applet)
			}
		}
	}
	if e.Builtin != nil && len(e.Builtin.PrintedAs) > 0 {
		if other := c.byName[e.Builtin.PrintedAs[0]]; other == nil || other.Builtin == nil {
			return fmt.Errorf("printed_as names %s, which is not a builtin", e.Builtin.PrintedAs[0])
		}
	}
	return nil
}

// Entries returns all entries in the order of their files.
func (c *Catalog) Entries() []*Entry { return slices.Clone(c.entries) }

// Family returns what the programs of a family have in common.
func (c *Catalog) Family(name string) Family { return c.families[name] }

// Words returns the words that have a meaning in a shell and are not programs.
func (c *Catalog) Words() Words { return c.words }

// Fold returns the folding of program names.
func (c *Catalog) Fold() *Fold { return &c.fold }

// Exactly returns the entry with exactly this name, or nil.
func (c *Catalog) Exactly(name string) *Entry { return c.byName[name] }

// Find returns the entry for the first of a program's folded names that has one, and that name, or
// nil.
func (c *Catalog) Find(name string) (*Entry, string) {
	for _, known := range c.fold.Of(name) {
		if e := c.byName[known]; e != nil {
			return e, known
		}
	}
	return nil, ""
}

// DescribedBy returns the entry whose grammar applies to an entry, or nil.
func (c *Catalog) DescribedBy(e *Entry) *Entry {
	switch {
	case e == nil || !e.Described:
		return nil
	case e.Like != "":
		return c.byName[e.Like]
	}
	return e
}

// CodeOf returns the code section that applies to an entry, or nil.
func (c *Catalog) CodeOf(e *Entry) *Code {
	if e.Code != nil && e.Code.Like != "" {
		return c.byName[e.Code.Like].Code
	}
	return e.Code
}

// At returns the grammar of a sub-command, or nil. path has the names of the sub-commands, from the
// program down.
func (g *Grammar) At(path ...string) *Grammar {
	for _, name := range path {
		sub := g.Subcommands[name]
		if sub == nil {
			return nil
		}
		g = &sub.Grammar
	}
	return g
}

// SortedSubcommands returns the sorted names of the sub-commands that have an entry.
func (g *Grammar) SortedSubcommands() []string { return slices.Sorted(maps.Keys(g.Subcommands)) }
