package programs

import (
	"errors"
	"fmt"
	"slices"
)

// The values of Changed.Below.
const (
	BelowAll  = "all"  // everything in a directory is changed with it
	BelowSome = "some" // files in a directory may be changed, and nobody knows which
)

// Changed says which words name files that a program makes, changes or removes. All conditions
// that are set must hold. It is read where a policy has lists of files to write; it is not a hazard
// by itself.
type Changed struct {
	// Which words: the values of options; operands from a number on, or a single one, or the last
	// one only, or all but that; every word, whatever it is; or none, but the directory that the program works in.
	// The default is every operand.
	ValueOf      []string `yaml:"value_of" json:"valueOf,omitempty"`
	OperandsFrom int      `yaml:"operands_from" json:"operandsFrom,omitempty"`
	Operand      int      `yaml:"operand" json:"operand,omitempty"`
	Last         bool     `yaml:"last" json:"last,omitempty"`
	NotLast      bool     `yaml:"not_last" json:"notLast,omitempty"`
	Words        bool     `yaml:"words" json:"words,omitempty"`
	Here         bool     `yaml:"here" json:"here,omitempty"`
	BeginsWith   []string `yaml:"begins_with" json:"beginsWith,omitempty"` // the text
	Unless       []string `yaml:"unless" json:"unless,omitempty"`          // options that switch it off
	WithOneOf    []string `yaml:"with_one_of" json:"withOneOf,omitempty"`  // options, one of which must be there
	// UnlessOperand are beginnings of operands that switch it off, as options do.
	UnlessOperand []string `yaml:"unless_operand" json:"unlessOperand,omitempty"`
	FewerThan     int      `yaml:"fewer_operands_than" json:"fewerOperandsThan,omitempty"`

	// OnlyNamed are options whose values are patterns of the names of the only files that it
	// changes in a directory, unless one of the words Unnamed is there.
	OnlyNamed []string `yaml:"only_named" json:"onlyNamed,omitempty"`
	Unnamed   []string `yaml:"unnamed" json:"unnamed,omitempty"`

	Below string `yaml:"below" json:"below,omitempty"` // what happens to what is in a directory: "", all or some
	// Into says that a directory stands for files in it with the names of the other operands.
	// Onto says that the other operands become the word itself.
	// Links says that they become links, which hold nothing themselves.
	Into  bool `yaml:"into" json:"into,omitempty"`
	Onto  bool `yaml:"onto" json:"onto,omitempty"`
	Links bool `yaml:"links" json:"links,omitempty"`
	// Named says that the file has the last name of the word, which may be a URL, and is in the
	// directory that the program works in.
	Named bool `yaml:"named" json:"named,omitempty"`
	// Pathspecs says that words are patterns of git.
	Pathspecs bool `yaml:"pathspecs" json:"pathspecs,omitempty"`
}

// check reports what is wrong with it.
func (c *Changed) check() error {
	selectors := 0
	for _, set := range []bool{len(c.ValueOf) > 0, c.OperandsFrom > 0, c.Operand > 0, c.Last, c.NotLast, c.Words, c.Here} {
		if set {
			selectors++
		}
	}
	switch {
	case !slices.Contains([]string{"", BelowAll, BelowSome}, c.Below):
		return fmt.Errorf("changes: below is %q: want %s or %s", c.Below, BelowAll, BelowSome)
	case selectors > 1:
		return errors.New("changes: one of value_of, operands_from, operand, last, not_last, words and here says which words it is about")
	case c.Here && c.Below == "":
		return errors.New("changes: here needs below")
	}
	return nil
}
