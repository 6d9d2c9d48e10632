package programs

// Brings says when a program that runs no code may make or move links, or bring directories with files
// that nobody saw, so that a path may lead to another file than before.
type Brings struct {
	// Subcommands are those that do so; without any the program itself does.
	Subcommands []string `yaml:"subcommands" json:"subcommands,omitempty"`
	// WithOneOf are options of which it needs one. With one of Stays it does nothing of the kind if it is
	// given one operand at most.
	WithOneOf []string `yaml:"with_one_of" json:"withOneOf,omitempty"`
	Stays     []string `yaml:"stays" json:"stays,omitempty"`
	// Existing says that it moves what is there: only a link or a directory among its operands counts.
	Existing bool `yaml:"existing" json:"existing,omitempty"`
	// ToLast says that its last operand is the place, unless one of the options ToOption names it.
	// Otherwise it may be any place.
	ToLast   bool     `yaml:"to_last" json:"toLast,omitempty"`
	ToOption []string `yaml:"to_option" json:"toOption,omitempty"`
}
