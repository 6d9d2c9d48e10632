package programs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// The values of Changed.Below.
const (
	BelowAll  = "all"  // everything in a directory is changed with it
	BelowSome = "some" // any files in a directory may be changed
)

// ChangedFiles says which words name files that a program creates, changes or removes. All conditions
// that are set must hold. It matters only if a policy has lists of files to write; it is not a hazard
// by itself.
type ChangedFiles struct {
	// Which words: the values of options; the operands from a number on, a single one, only the last one,
	// or all but the last one; every word; or no word, but the program's working directory
	// (WorkingDirectory). The default is every operand.
	ValueOf          []string `yaml:"value_of" json:"valueOf,omitempty"`
	OperandsFrom     int      `yaml:"operands_from" json:"operandsFrom,omitempty"`
	Operand          int      `yaml:"operand" json:"operand,omitempty"`
	Last             bool     `yaml:"last" json:"last,omitempty"`
	NotLast          bool     `yaml:"not_last" json:"notLast,omitempty"`
	Words            bool     `yaml:"words" json:"words,omitempty"`
	WorkingDirectory bool     `yaml:"working_directory" json:"workingDirectory,omitempty"`
	BeginsWith       []string `yaml:"begins_with" json:"beginsWith,omitempty"` // the text
	Unless           []string `yaml:"unless" json:"unless,omitempty"`          // options that switch it off
	WithOneOf        []string `yaml:"with_one_of" json:"withOneOf,omitempty"`  // options, one of which must be present
	// UnlessOperand are prefixes of operands that switch it off, as the options Unless do.
	UnlessOperand []string `yaml:"unless_operand" json:"unlessOperand,omitempty"`
	FewerThan     int      `yaml:"fewer_operands_than" json:"fewerOperandsThan,omitempty"`

	// OnlyNamed are options whose values are name patterns of the only files that it changes in a
	// directory, unless one of the words OnlyNamedUnless is present.
	OnlyNamed       []string `yaml:"only_named" json:"onlyNamed,omitempty"`
	OnlyNamedUnless []string `yaml:"only_named_unless" json:"onlyNamedUnless,omitempty"`

	Below string `yaml:"below" json:"below,omitempty"` // what happens to the contents of a directory: "", all or some
	// Into is true if a directory means the files in it that have the names of the other operands.
	// Onto is true if the other operands become the file that the word names.
	// Links is true if they become links, which have no contents of their own.
	Into  bool `yaml:"into" json:"into,omitempty"`
	Onto  bool `yaml:"onto" json:"onto,omitempty"`
	Links bool `yaml:"links" json:"links,omitempty"`
	// BaseName is true if the file is in the program's working directory, under the last name of the word,
	// which may be a URL.
	BaseName bool `yaml:"base_name" json:"baseName,omitempty"`
	// Pathspecs is true if the words are pathspecs of git.
	Pathspecs bool `yaml:"pathspecs" json:"pathspecs,omitempty"`
	// Endings are the endings of compressed files, in any case: the program may also create the file that has
	// the name without its ending, or, for one such as .tgz, with .tar in its place. EndingOf are options
	// whose values are further endings.
	Endings  []string `yaml:"endings" json:"endings,omitempty"`
	EndingOf []string `yaml:"ending_of" json:"endingOf,omitempty"`
}

// DecompressedNames returns the names of the files that decompressing a file may create. more are endings
// besides those of the catalog.
func (c *ChangedFiles) DecompressedNames(name string, more []string) (names []string) {
	for _, ending := range slices.Concat(c.Endings, more) {
		before := len(name) - len(ending)
		if ending == "" || before <= 0 || !strings.EqualFold(name[before:], ending) {
			continue
		}
		names = append(names, name[:before])
		if strings.HasPrefix(ending, ".t") {
			names = append(names, name[:before]+".tar")
		}
	}
	return names
}

// check returns an error for a contradictory description.
func (c *ChangedFiles) check() error {
	selectors := 0
	for _, set := range []bool{len(c.ValueOf) > 0, c.OperandsFrom > 0, c.Operand > 0, c.Last, c.NotLast, c.Words, c.WorkingDirectory} {
		if set {
			selectors++
		}
	}
	switch {
	case !slices.Contains([]string{"", BelowAll, BelowSome}, c.Below):
		return fmt.Errorf("changes: below is %q: want %s or %s", c.Below, BelowAll, BelowSome)
	case selectors > 1:
		return errors.New("changes: one of value_of, operands_from, operand, last, not_last, words and here says which words it is about")
	case c.WorkingDirectory && c.Below == "":
		return errors.New("changes: here needs below")
	}
	return nil
}
