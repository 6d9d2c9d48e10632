package programs

// FiltersLines says when a filter prints only whole, unchanged lines of its standard input: with these
// options only, and with exactly this number of operands, none of which is a file.
type FiltersLines struct {
	Options  []string `yaml:"options" json:"options,omitempty"`
	Operands int      `yaml:"operands" json:"operands,omitempty"`
	// InsteadOfOperands are options with which there are no operands.
	InsteadOfOperands []string `yaml:"instead_of_operands" json:"insteadOfOperands,omitempty"`
	// Numbers is true if -5 is an option.
	Numbers bool `yaml:"numbers" json:"numbers,omitempty"`
}

// IgnoresInput says when a program does not read its standard input: with at least this number of
// operands, none of which is the standard input.
type IgnoresInput struct {
	Operands int `yaml:"operands" json:"operands,omitempty"`
}

// ListsTrackedFiles says with which sub-command and options a program prints names of tracked files and
// nothing else, relative to its working directory. Index is the file in the repository's own directory
// that lists these names. The sub-commands ChangedBy change it, and so do those that do not preserve
// paths. With one of the options NULTerminatedWith, a NUL byte ends each name.
type ListsTrackedFiles struct {
	Subcommand        string   `yaml:"subcommand" json:"subcommand"`
	Index             string   `yaml:"index" json:"index"`
	Options           []string `yaml:"options" json:"options,omitempty"`
	NULTerminatedWith []string `yaml:"nul_terminated_with" json:"nulTerminatedWith,omitempty"`
	ChangedBy         []string `yaml:"changed_by" json:"changedBy,omitempty"`
	// Settings is the configuration file of the repository. The names may belong to files elsewhere if it
	// contains the word ElsewhereSetting, or if one of the files NeverWith exists.
	Settings         string             `yaml:"settings" json:"settings"`
	ElsewhereSetting string             `yaml:"elsewhere_setting" json:"elsewhereSetting"`
	NeverWith        []string           `yaml:"never_with" json:"neverWith,omitempty"`
	Changed          *ListsChangedFiles `yaml:"changed" json:"changed,omitempty"`
}

// ListsChangedFiles says with which other sub-command the program prints the names of tracked files that
// have changed, relative to the top of the repository: with one of the options RequiresOneOf, no others
// than Options, and no operand.
type ListsChangedFiles struct {
	Subcommand    string   `yaml:"subcommand" json:"subcommand"`
	RequiresOneOf []string `yaml:"requires_one_of" json:"requiresOneOf"`
	Options       []string `yaml:"options" json:"options,omitempty"`
}
