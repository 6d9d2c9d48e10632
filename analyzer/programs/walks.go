package programs

import "slices"

// Expression says which operators of a test take words as they are, so that no shell evaluates
// them. Its words may name files, of which it tells whether they are there.
type Expression struct {
	Unary  []string `yaml:"unary" json:"unary"`
	Binary []string `yaml:"binary" json:"binary"`
}

// Walks says how a program reads directories with everything in them.
type Walks struct {
	// With are options, NAME or NAME=VALUE, of which it needs one to do so; none means that it
	// always does. As are names by which it needs none, and NamesOnly options with which it shows
	// only the names of files.
	With      []string `yaml:"with" json:"with,omitempty"`
	As        []string `yaml:"as" json:"as,omitempty"`
	NamesOnly []string `yaml:"names_only" json:"namesOnly,omitempty"`
	// Here says that it reads the working directory if it is given no path; with Input, only if
	// its input does not come from a pipe.
	Here    bool `yaml:"here" json:"here,omitempty"`
	Input   bool `yaml:"input" json:"input,omitempty"`
	Follows bool `yaml:"follows" json:"follows,omitempty"` // links in these directories
	// Only are patterns of the names of the files that it reads at all; without any it reads every file.
	Only []string `yaml:"only" json:"only,omitempty"`
	// Options whose values are patterns of names: of the only files that it reads, and of files,
	// directories and both that it leaves out. Of Globs, those with a ! in front leave out both.
	Include            []string `yaml:"include" json:"include,omitempty"`
	Exclude            []string `yaml:"exclude" json:"exclude,omitempty"`
	ExcludeDirectories []string `yaml:"exclude_directories" json:"excludeDirectories,omitempty"`
	ExcludeBoth        []string `yaml:"exclude_both" json:"excludeBoth,omitempty"`
	Globs              []string `yaml:"globs" json:"globs,omitempty"`
	// With one of these options, Globs mean small and capital letters alike.
	AnyCase []string `yaml:"any_case" json:"anyCase,omitempty"`
	// What positive Globs name is read although it is hidden or ignored. So is what is hidden of a
	// type of files: Types are options whose values are types, and TypesAdded those that give one
	// more names, TYPE:NAME. HiddenOf are the hidden names of types, "" standing for every other one.
	Types      []string            `yaml:"types" json:"types,omitempty"`
	TypesAdded []string            `yaml:"types_added" json:"typesAdded,omitempty"`
	HiddenOf   map[string][]string `yaml:"hidden_of" json:"hiddenOf,omitempty"`
	// It leaves out hidden files, and what git ignores, unless it is given one of these options.
	HiddenWith  []string `yaml:"hidden_with" json:"hiddenWith,omitempty"`
	IgnoredWith []string `yaml:"ignored_with" json:"ignoredWith,omitempty"`
	// LeaveOut and LeaveOutDirectory are what people write to leave out a name, which %s stands
	// for; "" if there is no such option.
	LeaveOut          string `yaml:"leave_out" json:"leaveOut,omitempty"`
	LeaveOutDirectory string `yaml:"leave_out_directory" json:"leaveOutDirectory,omitempty"`
}

// Called reports whether the program needs no option by this name.
func (w *Walks) Called(name string) bool { return len(w.With) == 0 || slices.Contains(w.As, name) }

// Hidden returns patterns of the hidden names of a type of files.
func (w *Walks) Hidden(typed string) []string {
	if patterns, known := w.HiddenOf[typed]; known {
		return patterns
	}
	return w.HiddenOf[""]
}
