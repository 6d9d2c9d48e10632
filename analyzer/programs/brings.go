package programs

// Brings says when a program that runs no code may create or move links, or create directories with
// contents that were not examined, so that a path may lead to a different file than before.
type Brings struct {
	// Subcommands are those that do so; if there are none, the program itself does.
	Subcommands []string `yaml:"subcommands" json:"subcommands,omitempty"`
	// WithOneOf are options, one of which must be present. With one of the options Stays and at most one
	// operand, the program does nothing of the kind.
	WithOneOf []string `yaml:"with_one_of" json:"withOneOf,omitempty"`
	Stays     []string `yaml:"stays" json:"stays,omitempty"`
	// Existing is true if it moves its operands: then only an operand that is a link or a directory counts.
	Existing bool `yaml:"existing" json:"existing,omitempty"`
	// ToLast is true if the last operand is the destination, unless one of the options ToOption is present.
	// Otherwise the destination may be anywhere.
	ToLast   bool     `yaml:"to_last" json:"toLast,omitempty"`
	ToOption []string `yaml:"to_option" json:"toOption,omitempty"`
}
