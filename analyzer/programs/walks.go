package programs

import "slices"

// Expression lists the operators of a test whose words no shell evaluates. The words may name files,
// and the test reveals whether they exist.
type Expression struct {
	Unary  []string `yaml:"unary" json:"unary"`
	Binary []string `yaml:"binary" json:"binary"`
}

// Walks says how a program reads directories recursively.
type Walks struct {
	// With are options, NAME or NAME=VALUE, one of which must be present; if there are none, the program
	// always does so. Under the names AlwaysAs it needs no option. NamesOnly are options with which it shows
	// only the names of files.
	With      []string `yaml:"with" json:"with,omitempty"`
	AlwaysAs  []string `yaml:"always_as" json:"alwaysAs,omitempty"`
	NamesOnly []string `yaml:"names_only" json:"namesOnly,omitempty"`
	// WorkingDirectory is true if it reads the working directory when no path is given; with UnlessPiped,
	// only if its input does not come from a pipe.
	WorkingDirectory bool `yaml:"working_directory" json:"workingDirectory,omitempty"`
	UnlessPiped      bool `yaml:"unless_piped" json:"unlessPiped,omitempty"`
	Follows          bool `yaml:"follows" json:"follows,omitempty"` // it follows links in these directories
	// Only are patterns of the names of the only files that it reads; if there are none, it reads all.
	Only []string `yaml:"only" json:"only,omitempty"`
	// Options whose values are name patterns: of the only files to read (Include), or of files,
	// directories or both to leave out (Exclude, ExcludeDirectories, ExcludeBoth). A pattern of Globs
	// includes files, or leaves out both if it begins with an exclamation mark.
	Include            []string `yaml:"include" json:"include,omitempty"`
	Exclude            []string `yaml:"exclude" json:"exclude,omitempty"`
	ExcludeDirectories []string `yaml:"exclude_directories" json:"excludeDirectories,omitempty"`
	ExcludeBoth        []string `yaml:"exclude_both" json:"excludeBoth,omitempty"`
	Globs              []string `yaml:"globs" json:"globs,omitempty"`
	// AnyCase are options with which Globs ignore case.
	AnyCase []string `yaml:"any_case" json:"anyCase,omitempty"`
	// Files that match a positive pattern of Globs are read even if they are hidden or ignored. So are the
	// hidden files of a file type: Types are options whose values are file types, and TypesAdded options
	// that add names to one, as TYPE:NAME. HiddenOf maps file types to their hidden names; "" is any other
	// type.
	Types      []string            `yaml:"types" json:"types,omitempty"`
	TypesAdded []string            `yaml:"types_added" json:"typesAdded,omitempty"`
	HiddenOf   map[string][]string `yaml:"hidden_of" json:"hiddenOf,omitempty"`
	// HiddenWith and IgnoredWith are options without which it leaves out hidden files, and files that git
	// ignores. If there are none, it reads them.
	HiddenWith  []string `yaml:"hidden_with" json:"hiddenWith,omitempty"`
	IgnoredWith []string `yaml:"ignored_with" json:"ignoredWith,omitempty"`
	// LeaveOut and LeaveOutDirectory are the arguments with which people can leave out a file or directory,
	// with %s in place of its name; "" if there is no such option.
	LeaveOut          string `yaml:"leave_out" json:"leaveOut,omitempty"`
	LeaveOutDirectory string `yaml:"leave_out_directory" json:"leaveOutDirectory,omitempty"`
	// OutsideRepository is the sub-command that reads its operands recursively, without any option, where
	// there is no repository or one of them is outside its working tree; "" if there is none.
	OutsideRepository string `yaml:"outside_repository" json:"outsideRepository,omitempty"`
	// Untracked is set if it takes into a repository what that does not track yet: without operands from
	// the whole working tree. Operands are patterns of git. The other keys, except With, NamesOnly and
	// IgnoredWith, do not count.
	Untracked *Untracked `yaml:"untracked" json:"untracked,omitempty"`
}

// Untracked describes a command that takes untracked files into a repository.
type Untracked struct {
	Lists []string `yaml:"lists" json:"lists,omitempty"` // options that name a file of operands
	Whole bool     `yaml:"whole" json:"whole,omitempty"` // operands do not count: it takes in the whole tree
}

// AlwaysRecursive reports whether the program always reads recursively under this name.
func (w *Walks) AlwaysRecursive(name string) bool {
	return len(w.With) == 0 || slices.Contains(w.AlwaysAs, name)
}

// HiddenNames returns patterns of the hidden names of a file type.
func (w *Walks) HiddenNames(fileType string) []string {
	if patterns, known := w.HiddenOf[fileType]; known {
		return patterns
	}
	return w.HiddenOf[""]
}

// takesIn reports whether a command, or one of its sub-commands, takes in untracked files.
func (g *Grammar) takesIn() bool {
	if g.Walks != nil && g.Walks.Untracked != nil {
		return true
	}
	for _, sub := range g.Subcommands {
		if sub.takesIn() {
			return true
		}
	}
	return false
}
