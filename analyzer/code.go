package analyzer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Code says which words of a command line name code, and which files a program reads
// for it. It is data: rego/gavel/catalog/code/data.yaml, which explains each member.
type Code struct {
	programs map[string]*naming
	system   []string
	emits    map[string]bool
	data     map[string]bool
}

// naming says what names the code of one program, or of one of its sub-commands.
type naming struct {
	Names       fields             `yaml:"names"`
	Operand     string             `yaml:"operand"`
	Script      bool               `yaml:"script"`
	Skip        fields             `yaml:"skip"`
	Unless      fields             `yaml:"unless"`
	Options     fields             `yaml:"options"`
	Modules     fields             `yaml:"modules"`
	Style       string             `yaml:"style"`
	Values      fields             `yaml:"values"`
	Flags       fields             `yaml:"flags"`
	Directories fields             `yaml:"directories"`
	Extensions  fields             `yaml:"extensions"`
	Project     string             `yaml:"project"`
	Optional    fields             `yaml:"optional"`
	Instead     fields             `yaml:"instead"`
	Up          bool               `yaml:"up"`
	Inside      fields             `yaml:"inside"`
	Includes    fields             `yaml:"includes"`
	Stdin       bool               `yaml:"stdin"`
	Unbound     string             `yaml:"unbound"`
	Text        string             `yaml:"text"`
	Commands    map[string]*naming `yaml:"commands"`
}

// Which operands are code.
const (
	operandFirst = "first"
	operandAll   = "all"
)

// Why code cannot be named. data.gavel.catalog.exec.unbound has the words for people.
const (
	whyMissing  = "missing"  // the file is not there, or cannot be read
	whyDynamic  = "dynamic"  // the word is made when it runs
	whyStdin    = "stdin"    // it comes from standard input
	whyLarge    = "large"    // the file is too large to be looked into
	whyClaimed  = "claimed"  // it is on a machine that nobody looked at
	whyModule   = "module"   // it is an installed module
	whyDownload = "download" // it may be fetched from elsewhere
	whyProject  = "project"  // the project's own code, in files that are not named
	whyOpaque   = "opaque"   // the words were not understood
)

func whys() []string {
	return []string{whyMissing, whyDynamic, whyStdin, whyLarge, whyClaimed, whyModule, whyDownload, whyProject, whyOpaque}
}

// ReadCode reads the table from YAML, strictly.
func ReadCode(text []byte) (*Code, error) {
	var file struct {
		System   fields             `yaml:"system"`
		Emits    fields             `yaml:"emits"`
		Data     fields             `yaml:"data"`
		Programs map[string]*naming `yaml:"programs"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil {
		return nil, fmt.Errorf("read the table of code: %w", err)
	}
	if err := decoder.Decode(&struct{}{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("read the table of code: there is more than one document")
	}
	if len(file.Programs) == 0 || len(file.System) == 0 {
		return nil, errors.New("read the table of code: programs or system is missing or empty")
	}
	c := &Code{system: file.System, emits: map[string]bool{}, data: map[string]bool{}}
	for _, name := range file.Emits {
		c.emits[name] = true
	}
	for _, name := range file.Data {
		c.data[name] = true
	}
	var err error
	if c.programs, err = namings(file.Programs); err != nil {
		return nil, fmt.Errorf("read the table of code: %w", err)
	}
	return c, nil
}

// namings puts every name of programs, or of sub-commands, into one table.
func namings(list map[string]*naming) (map[string]*naming, error) {
	all := map[string]*naming{}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		n := list[name]
		if n == nil {
			return nil, fmt.Errorf("%s says nothing", name)
		}
		if err := n.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, known := range append(fields{name}, n.Names...) {
			if other, twice := all[known]; (twice && other != n) || known != strings.ToLower(known) {
				return nil, fmt.Errorf("%s is there twice, or not in lower case", known)
			}
			all[known] = n
		}
	}
	return all, nil
}

func (n *naming) check() (err error) {
	switch {
	case !slices.Contains([]string{"", operandFirst, operandAll}, n.Operand):
		return fmt.Errorf("operand %q is none", n.Operand)
	case n.Unbound+n.Text != "" && !slices.Contains(whys(), cmp.Or(n.Unbound, n.Text)):
		return fmt.Errorf("%q is no reason", cmp.Or(n.Unbound, n.Text))
	case !slices.Contains([]string{"", "python", "perl", "ruby", "lua", "node"}, n.Style):
		return fmt.Errorf("style %q is none", n.Style)
	case len(n.Modules) > 0 && n.Style == "":
		return errors.New("modules need a style")
	}
	if n.Commands == nil {
		return nil
	}
	n.Commands, err = namings(n.Commands)
	return err
}

// find returns what is known of a program by its name: in lower case, without .exe, and,
// when it is not there, without the version at its end.
func (c *Code) find(name string) *naming {
	name = strings.TrimSuffix(strings.ToLower(name), ".exe")
	if n := c.programs[name]; n != nil {
		return n
	}
	if without := strings.TrimRight(name, "0123456789.-_"); without != name {
		return c.programs[without]
	}
	return nil
}

// rooted reports whether a real path is where only root changes programs.
func (c *Code) rooted(real string) bool {
	return slices.ContainsFunc(c.system, func(dir string) bool { return within(real, dir) })
}
