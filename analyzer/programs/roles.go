package programs

// Wrapper says how a program runs another command that follows its own words. Only options that
// are marked in the entry are understood; with any other, it is unknown what the program runs.
type Wrapper struct {
	// Kind is one of these: shell (the text of -c is parsed by its grammar), dispatcher (the
	// words after its own are the command), multiplexer (its first word is the program),
	// privilege (a dispatcher that raises rights), builtin (a dispatcher that is a shell
	// builtin).
	Kind                  string     `yaml:"kind" json:"kind"`
	RealNames             []string   `yaml:"real_names" json:"realNames,omitempty"` // names that the file behind the name may have
	NumberIsOption        bool       `yaml:"number_is_option" json:"numberIsOption,omitempty"`
	DashIsOption          bool       `yaml:"dash_is_option" json:"dashIsOption,omitempty"`
	Assignments           bool       `yaml:"assignments" json:"assignments,omitempty"` // NAME=VALUE words may come before the command
	JoinsWords            bool       `yaml:"joins_words" json:"joinsWords,omitempty"`  // a shell reads the command's words, joined by spaces
	AddsWords             bool       `yaml:"adds_words" json:"addsWords,omitempty"`    // words of its standard input become words of the command
	OperandsBeforeCommand int        `yaml:"operands_before_command" json:"operandsBeforeCommand,omitempty"`
	Requires              [][]string `yaml:"requires" json:"requires,omitempty"`                         // lists of options; one of each list must be present
	Queries               []string   `yaml:"queries" json:"queries,omitempty"`                           // first words with which it only answers a question: what a name is, or whether a file can be read
	OptionWords           []string   `yaml:"option_words" json:"optionWords,omitempty"`                  // the values that -o and +o of a shell accept
	Shells                []string   `yaml:"shells" json:"shells,omitempty"`                             // programs of a multiplexer that are shells
	Applets               []string   `yaml:"applets" json:"applets,omitempty"`                           // programs of it that behave as the program of that name
	OptionsAreVariables   bool       `yaml:"options_are_variables" json:"optionsAreVariables,omitempty"` // every option is about variables
}

// Embeds describes a program that runs commands which are among its own words, as find -exec does. The
// program is judged, and so is each of the commands. If it has any word that is not listed here, its
// words are not analyzed.
type Embeds struct {
	Words          []string `yaml:"words" json:"words"`
	WordsWithValue []string `yaml:"words_with_value" json:"wordsWithValue"`
	Commands       []string `yaml:"commands" json:"commands"` // words after which a command follows, up to ";" or to "{} +"
	// NamesNeverBeginWithDash lists those of Commands that insert names which begin with the starting
	// directory, and so never with a dash.
	NamesNeverBeginWithDash []string `yaml:"names_never_begin_with_dash" json:"namesNeverBeginWithDash,omitempty"`
}

// Runner describes a program that finds a tool of the project and runs it. A form that is not
// listed may download or evaluate what it runs; then the runner itself is judged.
type Runner struct {
	Tools           string   `yaml:"tools" json:"tools"`                       // where a project has its tools, from the working directory upwards
	Subcommands     []string `yaml:"subcommands" json:"subcommands,omitempty"` // those that run a tool; without them the program itself does
	WordsBeforeTool []string `yaml:"words_before_tool" json:"wordsBeforeTool,omitempty"`
	NeedsDashes     bool     `yaml:"needs_dashes" json:"needsDashes,omitempty"` // the tool must come after --
	Elsewhere       bool     `yaml:"elsewhere" json:"elsewhere,omitempty"`      // it may also search elsewhere, before the search path
}

// ActsByName describes a program that behaves according to the name by which it is called. Under a
// name that is not listed, its behaviour is unknown.
type ActsByName struct {
	Names      []string `yaml:"names" json:"names,omitempty"`            // "*" is the program of any name
	MarkerFile string   `yaml:"marker_file" json:"markerFile,omitempty"` // a file next to the link, or in the directory above, that makes the location of the link significant
}

// Builtin says how every shell reads the words of a builtin that runs no program and writes no
// file.
type Builtin struct {
	Words       string   `yaml:"words" json:"words"`
	Plus        bool     `yaml:"plus" json:"plus,omitempty"`                // options may begin with + as well
	OptionWords []string `yaml:"option_words" json:"optionWords,omitempty"` // the words that an option of the kind option_word takes
	Queries     []string `yaml:"queries" json:"queries,omitempty"`          // first words that make it a question
	PrintedAs   []string `yaml:"printed_as" json:"printedAs,omitempty"`
}

// SafeBin says how a filter may run without an allowlist entry, reading standard input only. Its
// options are marked; an option that is not marked is refused.
type SafeBin struct {
	Default         bool          `yaml:"default" json:"default,omitempty"`                 // it is one when nothing is configured
	NumberFirst     bool          `yaml:"number_first" json:"numberFirst,omitempty"`        // the first word may be -5
	ValuesAreWords  bool          `yaml:"values_are_words" json:"valuesAreWords,omitempty"` // values are words of their own
	Operands        OperandsCount `yaml:"operands" json:"operands"`
	OperandsAreText bool          `yaml:"operands_are_text" json:"operandsAreText,omitempty"` // text and no file, so that [:upper:] is none either
	Language        string        `yaml:"language" json:"language,omitempty"`                 // what the first operand is written in
}

// OperandsCount is the permitted number of operands.
type OperandsCount struct {
	Min int `yaml:"min" json:"min"`
	Max int `yaml:"max" json:"max"`
}

// Code says which words of a command line name code, and which files a program loads as code.
type Code struct {
	Like                 string           `yaml:"like" json:"like,omitempty"` // the program whose words name code in the same way
	Aliases              []string         `yaml:"aliases" json:"aliases,omitempty"`
	Operands             string           `yaml:"operands" json:"operands,omitempty"` // first or all
	MayNameProjectScript bool             `yaml:"may_name_project_script" json:"mayNameProjectScript,omitempty"`
	Skip                 []string         `yaml:"skip" json:"skip,omitempty"`     // operands that are none, such as watch
	Unless               []string         `yaml:"unless" json:"unless,omitempty"` // options with which no operand is code
	Files                []string         `yaml:"files" json:"files,omitempty"`   // options whose value is a file of code
	Modules              []string         `yaml:"modules" json:"modules,omitempty"`
	ModulesLike          string           `yaml:"modules_like" json:"modulesLike,omitempty"`
	Options              []Option         `yaml:"options" json:"options,omitempty"` // that the program's own grammar does not have
	Directories          []string         `yaml:"directories" json:"directories,omitempty"`
	Extensions           []string         `yaml:"extensions" json:"extensions,omitempty"`
	Project              []string         `yaml:"project" json:"project,omitempty"` // the file of the project, the first that is there
	AlsoReads            []string         `yaml:"also_reads" json:"alsoReads,omitempty"`
	InsteadOfProject     []string         `yaml:"instead_of_project" json:"insteadOfProject,omitempty"`
	ProjectMayBeAbove    bool             `yaml:"project_may_be_above" json:"projectMayBeAbove,omitempty"`
	InsideDirectories    []string         `yaml:"inside_directories" json:"insideDirectories,omitempty"`
	ModuleDirectories    []string         `yaml:"module_directories" json:"moduleDirectories,omitempty"`
	ReadsStdin           bool             `yaml:"reads_stdin" json:"readsStdin,omitempty"`
	Unbound              string           `yaml:"unbound" json:"unbound,omitempty"`
	InlineRunsMore       string           `yaml:"inline_runs_more" json:"inlineRunsMore,omitempty"`
	Subcommands          map[string]*Code `yaml:"subcommands" json:"subcommands,omitempty"`
}
