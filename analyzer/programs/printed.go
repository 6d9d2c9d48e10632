package programs

// KeepsLines says when a filter prints only whole lines of its standard input, unchanged: with no
// other options than these, and so many operands, none of which names a file.
type KeepsLines struct {
	Options  []string `yaml:"options" json:"options,omitempty"`
	Operands int      `yaml:"operands" json:"operands,omitempty"`
	// With one of InsteadOfOperands there is no operand.
	InsteadOfOperands []string `yaml:"instead_of_operands" json:"insteadOfOperands,omitempty"`
	// Numbers says that -5 is an option.
	Numbers bool `yaml:"numbers" json:"numbers,omitempty"`
}

// LeavesInput says when a program does not read its standard input: with so many operands, none of
// which names it.
type LeavesInput struct {
	Operands int `yaml:"operands" json:"operands,omitempty"`
}

// PrintsTracked says with which sub-command a program prints names of tracked files and nothing
// else, relative to where it runs, and with which options. Index is the file of their names in the
// repository's own directory, which the sub-commands ChangedBy change; so do those that are not
// steady. With one of Zeros, each name has a zero byte behind it.
type PrintsTracked struct {
	Subcommand string   `yaml:"subcommand" json:"subcommand"`
	Index      string   `yaml:"index" json:"index"`
	Options    []string `yaml:"options" json:"options,omitempty"`
	Zeros      []string `yaml:"zeros" json:"zeros,omitempty"`
	ChangedBy  []string `yaml:"changed_by" json:"changedBy,omitempty"`
	// Settings is the file of the repository's settings, where the names may be of files elsewhere if
	// it has the word Elsewhere, or if there is one of the files NeverWith.
	Settings  string         `yaml:"settings" json:"settings"`
	Elsewhere string         `yaml:"elsewhere" json:"elsewhere"`
	NeverWith []string       `yaml:"never_with" json:"neverWith,omitempty"`
	Changed   *PrintsChanged `yaml:"changed" json:"changed,omitempty"`
}

// PrintsChanged says with which other sub-command the program prints names of those tracked files that
// differ from what is tracked, relative to the top of the repository: with one of Needs, only Options,
// and no operand.
type PrintsChanged struct {
	Subcommand string   `yaml:"subcommand" json:"subcommand"`
	Needs      []string `yaml:"needs" json:"needs"`
	Options    []string `yaml:"options" json:"options,omitempty"`
}
