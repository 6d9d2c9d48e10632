package programs

import "gavel/analyzer/argv"

// Entry is what the catalog knows about one program. It is one file, with one line per fact.
// rego/gavel/catalog/programs/README.md explains each member. Members that permit something apply
// to Name only; members that forbid something apply to Aliases as well.
type Entry struct {
	Name    string   `yaml:"name" json:"name"`
	Aliases []string `yaml:"aliases" json:"aliases,omitempty"` // other names of the same program
	// FamilyDefaultFor lists other programs that have no description of their arguments. The one in this
	// entry applies to them.
	FamilyDefaultFor []string `yaml:"family_default_for" json:"familyDefaultFor,omitempty"`
	Family           string   `yaml:"-" json:"family"`                         // the folder of the file
	Source           string   `yaml:"source" json:"source,omitempty"`          // where the facts come from; that of the family, if the entry has none
	Unlisted         Reasons  `yaml:"unlisted" json:"unlisted,omitempty"`      // options that the program has and the entry leaves out
	OtherArity       Reasons  `yaml:"other_value" json:"otherValue,omitempty"` // options that the program's help describes with another value

	Traits `yaml:",inline"`

	// Described is true if the entry says what the arguments do. Otherwise nothing is known about
	// the arguments.
	Described bool   `yaml:"described" json:"described"`
	Like      string `yaml:"like" json:"like,omitempty"` // the program whose arguments these are
	Grammar   `yaml:",inline"`

	Wrapper    *Wrapper    `yaml:"wrapper" json:"wrapper,omitempty"`
	Embeds     *Embeds     `yaml:"embeds" json:"embeds,omitempty"`
	Runner     *Runner     `yaml:"runner" json:"runner,omitempty"`
	ActsByName *ActsByName `yaml:"acts_by_name" json:"actsByName,omitempty"`
	Builtin    *Builtin    `yaml:"builtin" json:"builtin,omitempty"`
	InShell    *InShell    `yaml:"in_shell" json:"inShell,omitempty"`
	SafeBin    *SafeBin    `yaml:"safe_bin" json:"safeBin,omitempty"`
	Code       *Code       `yaml:"code" json:"code,omitempty"`
}

// Reasons maps options to the reason why the entry treats them as it does.
type Reasons map[string]string

// Traits are what is known about a program as a whole.
type Traits struct {
	Evaluates                 bool               `yaml:"evaluates" json:"evaluates,omitempty"`                                   // it evaluates its input as code: never a safe bin
	Interpreter               bool               `yaml:"interpreter" json:"interpreter,omitempty"`                               // never on an allowlist by a permanent answer
	Opaque                    string             `yaml:"opaque" json:"opaque,omitempty"`                                         // builtin, shell or carrier: no entry can permit it
	ShellWord                 bool               `yaml:"shell_word" json:"shellWord,omitempty"`                                  // some shell gives the name a meaning of its own
	ShellWrapper              bool               `yaml:"shell_wrapper" json:"shellWrapper,omitempty"`                            // a wrapper that the shell itself runs
	GNU                       bool               `yaml:"gnu" json:"gnu,omitempty"`                                               // also installed with the prefix g, next to another implementation
	AddsWordsToCommands       bool               `yaml:"adds_words_to_commands" json:"addsWordsToCommands,omitempty"`            // it adds words of its input, or names of files that it finds, to a command
	ShowsFiles                bool               `yaml:"shows_files" json:"showsFiles,omitempty"`                                // or the environment
	PrintsItsWords            bool               `yaml:"prints_its_words" json:"printsItsWords,omitempty"`                       // and reads no file, although it shows_files
	ChangesFiles              bool               `yaml:"changes_files" json:"changesFiles,omitempty"`                            // those that its operands name
	TakesWholeDirectories     bool               `yaml:"takes_whole_directories" json:"takesWholeDirectories,omitempty"`         // a directory means everything in it
	MovesDirectories          bool               `yaml:"moves_directories" json:"movesDirectories,omitempty"`                    // moves, removes or changes it
	MovingSubcommands         []string           `yaml:"moving_subcommands" json:"movingSubcommands,omitempty"`                  // sub-commands that do so
	PrintsItsInput            bool               `yaml:"prints_its_input" json:"printsItsInput,omitempty"`                       // its output consists of its words and files
	HarmlessWords             bool               `yaml:"harmless_words" json:"harmlessWords,omitempty"`                          // none of its words is code, or makes it write a file that another program runs
	PreservesPaths            bool               `yaml:"preserves_paths" json:"preservesPaths,omitempty"`                        // after it, every path leads where it led before
	PathPreservingSubcommands []string           `yaml:"path_preserving_subcommands" json:"pathPreservingSubcommands,omitempty"` // sub-commands that do so
	ChangesPaths              []ChangesPaths     `yaml:"changes_paths" json:"changesPaths,omitempty"`                            // when it may create links or unexamined directories
	ProjectCode               *ProjectCode       `yaml:"project_code" json:"projectCode,omitempty"`                              // it runs code of the directory that it works in
	OpenOperands              bool               `yaml:"open_operands" json:"openOperands,omitempty"`                            // a permanent answer may permit any operands
	OpenSubcommands           []string           `yaml:"open_subcommands" json:"openSubcommands,omitempty"`                      // sub-commands that do so
	Repository                *Repository        `yaml:"repository" json:"repository,omitempty"`                                 // it looks for a repository where it runs
	FiltersLines              *FiltersLines      `yaml:"filters_lines" json:"filtersLines,omitempty"`                            // it prints only lines of its input
	IgnoresInput              *IgnoresInput      `yaml:"ignores_input" json:"ignoresInput,omitempty"`                            // it does not read its standard input
	ListsTrackedFiles         *ListsTrackedFiles `yaml:"lists_tracked_files" json:"listsTrackedFiles,omitempty"`                 // it prints names of tracked files
	// For rules about commands, besides the grammar.
	SameSubcommands [][]string `yaml:"same_subcommands" json:"sameSubcommands,omitempty"` // lists of names of one sub-command each
	// ExternalSubcommands is the prefix of the program that an unlisted sub-command runs, even if
	// there is an alias of that name.
	ExternalSubcommands string `yaml:"external_subcommands" json:"externalSubcommands,omitempty"`

	OptionVariables   []string        `yaml:"option_variables" json:"optionVariables,omitempty"`      // variables that give it options, by glob
	OperandsAsOptions []OperandOption `yaml:"operands_as_options" json:"operandsAsOptions,omitempty"` // operands that say what an option says
}

// ProjectCode says when a program runs any code that is in the directory that it works in: with each
// sub-command, or with these, unless an option is there; or only where it has a hazard of kind project.
type ProjectCode struct {
	Hazard      bool     `yaml:"hazard" json:"hazard,omitempty"`
	Subcommands []string `yaml:"subcommands" json:"subcommands,omitempty"`
	Unless      []string `yaml:"unless" json:"unless,omitempty"`
}

// OperandOption is an option that the prefix of an operand stands for.
type OperandOption struct {
	Command    string `yaml:"command" json:"command"` // the sub-command
	BeginsWith string `yaml:"begins_with" json:"begins_with"`
	Option     string `yaml:"option" json:"option"`
}

// Repository says how a program recognises a repository.
type Repository struct {
	Own  string `yaml:"own" json:"own"`             // the name of its own directory
	Bare string `yaml:"bare" json:"bare,omitempty"` // a file that one without such a directory has to have; or ""
	In   string `yaml:"in" json:"in,omitempty"`     // the hazard of the option with which it looks in another directory; or ""
	// Has are directories of its own directory without which the program looks further up; so it does
	// if Bare does not begin with one of Begins, and is not a hash.
	Has    []string `yaml:"has" json:"has,omitempty"`
	Begins []string `yaml:"begins" json:"begins,omitempty"`
	// Elsewhere is how a file in place of its own directory begins that says where that is.
	Elsewhere string `yaml:"elsewhere" json:"elsewhere,omitempty"`
	// Ignores is a file in its own directory with patterns of files that it ignores; those of .gitignore come
	// before them.
	Ignores string `yaml:"ignores" json:"ignores,omitempty"`
}

// Grammar says how the arguments of a program, or of one of its sub-commands, are read and what
// they mean.
type Grammar struct {
	// Style is "" for GNU getopt, single_dash for whole names after one dash, and predicates for
	// words that are read one by one.
	Style                    string                 `yaml:"style" json:"style,omitempty"`
	DashlessFirstWord        bool                   `yaml:"dashless_first_word" json:"dashlessFirstWord,omitempty"`                // the first word may be letters of options, as of tar
	OptionsEndAtOperand      bool                   `yaml:"options_end_at_operand" json:"optionsEndAtOperand,omitempty"`           // the first operand ends them
	ListsEveryOption         bool                   `yaml:"lists_every_option" json:"listsEveryOption,omitempty"`                  // an option that is not listed is a hazard
	OptionsHoldInSubcommands bool                   `yaml:"options_hold_in_subcommands" json:"optionsHoldInSubcommands,omitempty"` // however deep
	ShortEquals              bool                   `yaml:"short_equals" json:"shortEquals,omitempty"`                             // -n=x is -n x
	Always                   string                 `yaml:"always" json:"always,omitempty"`                                        // the kind of hazard that it is by itself
	InformationWords         []string               `yaml:"information_words" json:"informationWords,omitempty"`                   // words that, given alone, only make it print information about itself
	OperandsAreText          OperandText            `yaml:"operands_are_text" json:"operandsAreText,omitzero"`
	Pager                    *Pager                 `yaml:"pager" json:"pager,omitempty"`           // it starts one on a terminal
	Terminal                 *Terminal              `yaml:"terminal" json:"terminal,omitempty"`     // it reads commands from the one that it runs on
	Expression               *Expression            `yaml:"expression" json:"expression,omitempty"` // its words are a test, as for [
	Walks                    *Walks                 `yaml:"walks" json:"walks,omitempty"`           // it reads directories with everything in them
	Settings                 *Settings              `yaml:"settings" json:"settings,omitempty"`     // it looks for settings where it runs
	Changes                  []ChangedFiles         `yaml:"changes" json:"changes,omitempty"`       // the files that it makes, changes or removes
	Unpacks                  *Unpacks               `yaml:"unpacks" json:"unpacks,omitempty"`       // it makes what an archive holds
	Options                  []Option               `yaml:"options" json:"options,omitempty"`
	Rules                    []Rule                 `yaml:"rules" json:"rules,omitempty"`
	HarmlessSubcommands      []string               `yaml:"harmless_subcommands" json:"harmlessSubcommands,omitempty"`
	Subcommands              map[string]*Subcommand `yaml:"subcommands" json:"subcommands,omitempty"`
	OtherSubcommands         string                 `yaml:"other_subcommands" json:"otherSubcommands,omitempty"` // the kind of those that are not listed
}

// Subcommand is the grammar of a sub-command.
type Subcommand struct {
	Aliases []string `yaml:"aliases" json:"aliases,omitempty"`
	Like    string   `yaml:"like" json:"like,omitempty"` // the sub-command, from the program on, whose grammar this is
	// Unlisted and OtherArity are as in Entry.
	Unlisted   Reasons `yaml:"unlisted" json:"unlisted,omitempty"`
	OtherArity Reasons `yaml:"other_value" json:"otherValue,omitempty"`
	Grammar    `yaml:",inline"`
}

// OperandText says which operands are text, not paths.
type OperandText struct {
	All    bool     `yaml:"all" json:"all,omitempty"`
	First  int      `yaml:"first" json:"first,omitempty"`   // so many of the first ones
	Unless []string `yaml:"unless" json:"unless,omitempty"` // one of these options is there
	// OrFile says that one that names a file that exists is that file.
	OrFile bool `yaml:"or_file" json:"orFile,omitempty"`
}

// Pager says what keeps a program from starting its pager.
type Pager struct {
	StoppedBy []string `yaml:"stopped_by" json:"stoppedBy"`   // NAME or NAME=VALUE
	NotIn     []string `yaml:"not_in" json:"notIn,omitempty"` // sub-commands that start none
}

// Terminal says when a program does not read commands from its terminal.
type Terminal struct {
	Unless            []string `yaml:"unless" json:"unless,omitempty"`                         // one of these options is there
	With              []string `yaml:"with" json:"with,omitempty"`                             // none of these options and sub-commands is there
	FewerOperandsThan int      `yaml:"fewer_operands_than" json:"fewerOperandsThan,omitempty"` // it has so many operands
}

// Option is one option under all its spellings.
type Option struct {
	Names []string `yaml:"names" json:"names"`
	Value Value    `yaml:"value" json:"value"`
	Means []string `yaml:"means" json:"means,omitempty"` // kinds of hazard
	Text  bool     `yaml:"text" json:"text,omitempty"`   // its value is not a path
	// Excludes is true if the value is a pattern of files to leave out, which are neither read nor changed.
	Excludes bool `yaml:"excludes" json:"excludes,omitempty"`
	File     bool `yaml:"file" json:"file,omitempty"` // the hazard's argument is a file, which a list of files may permit
	// Program is true if the value names the program that the following words are for.
	Program              bool   `yaml:"program" json:"program,omitempty"`
	WorksIn              bool   `yaml:"works_in" json:"worksIn,omitempty"` // its value is the directory that relative paths begin in
	SameBeforeSubcommand bool   `yaml:"same_before_subcommand" json:"sameBeforeSubcommand,omitempty"`
	Since                string `yaml:"since" json:"since,omitempty"` // the release of the program that has it first

	SafeBin        string `yaml:"safe_bin" json:"safeBin,omitempty"`               // allowed, without_value or denied
	Wrapper        bool   `yaml:"wrapper" json:"wrapper,omitempty"`                // with it, it is known what the wrapper runs
	UnsetsVariable bool   `yaml:"unsets_variable" json:"unsetsVariable,omitempty"` // of the wrapper: the value is the name of a variable
	ReplacesWords  bool   `yaml:"replaces_words" json:"replacesWords,omitempty"`   // of the wrapper: its value stands for the added words
	LimitsWords    bool   `yaml:"limits_words" json:"limitsWords,omitempty"`       // of the wrapper: it goes with words that are added only
	Login          bool   `yaml:"login" json:"login,omitempty"`                    // of a shell: it reads the files of a login
	NoProfile      bool   `yaml:"no_profile" json:"noProfile,omitempty"`           // of a shell: it reads none of them anyway
	MinusOnly      bool   `yaml:"minus_only" json:"minusOnly,omitempty"`           // of a shell: it does not have the option behind +
	Builtin        string `yaml:"builtin" json:"builtin,omitempty"`                // flag, number, text or option_word
}

// Value is what an option takes.
type Value string

// The values of Value. With ValueUnknown, the next word may or may not belong to the option.
const (
	ValueNone     Value = "none"
	ValueOptional Value = "optional" // in the same word only
	ValueRequired Value = "required"
	ValuePair     Value = "pair" // two words, of which the second is the value
	ValueUnknown  Value = "unknown"
)

// Takes returns the value as package argv describes it. An option with an unknown value must not
// be listed in an argv grammar.
func (v Value) Takes() argv.Takes {
	switch v {
	case ValueOptional:
		return argv.Optional
	case ValueRequired:
		return argv.Value
	case ValuePair:
		return argv.Pair
	default:
		return argv.None
	}
}

// Rule is a hazard in operands or in the values of options. All conditions that are set must
// hold; the conditions about the text are alternatives.
type Rule struct {
	Means      string `yaml:"means" json:"means"`            // the kind of hazard
	HazardName string `yaml:"hazard_name" json:"hazardName"` // what an allowlist entry calls it
	File       bool   `yaml:"file" json:"file,omitempty"`
	// Which texts: the values of options; or the operands from a number on, or a single one; or
	// none, if only the number of operands counts. The default is every operand.
	ValueOf           []string `yaml:"value_of" json:"valueOf,omitempty"`
	OperandsFrom      int      `yaml:"operands_from" json:"operandsFrom,omitempty"`
	Operand           int      `yaml:"operand" json:"operand,omitempty"`
	FewerOperandsThan int      `yaml:"fewer_operands_than" json:"fewerOperandsThan,omitempty"`
	// LastOfSeveral says that only the last of several words counts: what comes before others is
	// not a target.
	LastOfSeveral bool     `yaml:"last_of_several" json:"lastOfSeveral,omitempty"`
	Unless        []string `yaml:"unless" json:"unless,omitempty"`         // options that switch the rule off
	WithOneOf     []string `yaml:"with_one_of" json:"withOneOf,omitempty"` // options, one of which must be there
	AndOneOf      []string `yaml:"and_one_of" json:"andOneOf,omitempty"`   // and one of these
	// Conditions on the text; the default is any text.
	BeginsWith []string `yaml:"begins_with" json:"beginsWith,omitempty"`
	Contains   []string `yaml:"contains" json:"contains,omitempty"`
	HasWord    []string `yaml:"has_word" json:"hasWord,omitempty"`
	Equals     []string `yaml:"equals" json:"equals,omitempty"`
	LongerThan int      `yaml:"longer_than" json:"longerThan,omitempty"` // bytes
	Except     []string `yaml:"except" json:"except,omitempty"`          // texts that the rule is not about
	Grammar    string   `yaml:"grammar" json:"grammar,omitempty"`        // anything but what is plainly harmless in it
	// Mentions are the names with which a jq program reads more than its input.
	Mentions []string `yaml:"mentions" json:"mentions,omitempty"`
	// NumericFormat says that the rule applies only if the first operand is a printf format that
	// takes a number. Some shells evaluate the words for such a format.
	NumericFormat bool `yaml:"numeric_format" json:"numericFormat,omitempty"`
}
