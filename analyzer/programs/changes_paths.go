package programs

// ChangesPaths says when a program that runs no code may create or move links, or create directories with
// contents that were not examined, so that a path may lead to a different file than before.
type ChangesPaths struct {
	// Subcommands are those that do so; if there are none, the program itself does.
	Subcommands []string `yaml:"subcommands" json:"subcommands,omitempty"`
	// WithOneOf are options, one of which must be present. With an option of UnlessNewBranch, which creates
	// a branch, and no operand but its name, the program does nothing of the kind.
	WithOneOf       []string `yaml:"with_one_of" json:"withOneOf,omitempty"`
	UnlessNewBranch []string `yaml:"unless_new_branch" json:"unlessNewBranch,omitempty"`
	// OnlyLinksAndDirectories is true if it moves its operands: then only an operand that is a link or a
	// directory counts.
	OnlyLinksAndDirectories bool `yaml:"only_links_and_directories" json:"onlyLinksAndDirectories,omitempty"`
	// MovesOnlyWith are options: with no others, it moves its other operands to the last one, or into that
	// directory, and does nothing else.
	MovesOnlyWith []string `yaml:"moves_only_with" json:"movesOnlyWith,omitempty"`
	// DestinationLast is true if the last operand is the destination, unless one of DestinationOptions is
	// present. Otherwise the destination may be anywhere.
	DestinationLast    bool     `yaml:"destination_last" json:"destinationLast,omitempty"`
	DestinationOptions []string `yaml:"destination_options" json:"destinationOptions,omitempty"`
}
