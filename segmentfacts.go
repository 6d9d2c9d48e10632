package gavel

// Segment is one simple command that the shell line would run, by itself or
// through wrappers. Segments inside a wrapper have the position of the wrapper.
type Segment struct {
	Argv       []string   `json:"argv" nil:"empty" varies:"call" disclose:"call"` // words after quote removal; argv[0] as written
	Executable Executable `json:"executable"`
	Start      int        `json:"start" varies:"call" disclose:"call"` // byte offsets into the command
	End        int        `json:"end" varies:"call" disclose:"call"`
	// Wrappers are the programs through which it would run, outermost first.
	Wrappers []Wrapper `json:"wrappers" nil:"empty"`
	// Builtin is the name of a shell builtin whose words were understood: it runs and writes
	// nothing. "" for a program.
	Builtin string `json:"builtin" disclose:"call"`
	// Directory is where cd leads, by its real path; "" for every other command, and if it is
	// unknown.
	Directory string `json:"directory"`
	// After and AfterCode say the same as those of a redirection, about the files and directories that
	// the command names.
	After     bool     `json:"after"`
	AfterCode []string `json:"afterCode" nil:"empty"`
	// Opaque says why a wrapper could not be unwrapped, such as "env -S"; Argv then has the words of
	// the wrapper. It is "" for every other command.
	Opaque string `json:"opaque" disclose:"call"`
	// SubCommand is the sub-command of a program such as git, if the catalog knows it: push for git -C
	// x push. It is "" for every other command, and if an option or a word before it may take it as
	// its value.
	SubCommand string `json:"subCommand" varies:"call" disclose:"call"`
	// Commands are the sub-commands, outermost first: remote and add for git -C x remote add.
	Commands []string `json:"commands" nil:"empty" varies:"call"`
	// CommandsKnown says how far Commands can be relied on:
	//
	//	exact     these are the sub-commands, and the grammar has each of them
	//	program   the last of them is a program of its own, such as git-lfs, that only root can
	//	          replace, and no alias hides it
	//	unlisted  the last of them is not in the grammar, so it may be an alias of another one
	//	open      another word of the line may be the sub-command
	//	none      the program is unknown, or has no sub-commands
	CommandsKnown string `json:"commandsKnown" varies:"call"`
	// Options are the options as the program reads them by its grammar, however they are written. If
	// the grammar does not say what a word is, they include everything that it may be.
	Options []GivenOption `json:"options" varies:"call"`
	// OptionsKnown says how far Options can be relied on:
	//
	//	exact   these are the options, and the grammar has each of them
	//	unsure  every option of the line is listed, but some that are listed may not be options
	//	open    a word that is produced at run time may be any option
	//	none    the program is unknown: Options is empty, and every word is an operand
	OptionsKnown string         `json:"optionsKnown" varies:"call"`
	Operands     []GivenOperand `json:"operands" varies:"call"` // without sub-commands
	// Hazards are arguments with which the program is known to run, write, read, reach or
	// load something; empty if there are none, or the program is unknown.
	Hazards []Hazard `json:"hazards"`
	// Dynamic lists the indexes in Argv, ascending, of words that are produced at run time;
	// Argv has their source. An index equal to the length of Argv says that further words
	// follow, as with xargs.
	Dynamic []int `json:"dynamic" disclose:"call"`
	// Numbered lists those of Dynamic in which only the PID, $$, is unknown: the rest of the
	// word is literal, it does not begin with a dash, and it is one word.
	Numbered []int `json:"numbered" disclose:"call"`
	// Homed lists those of Dynamic that are paths below the home directory, such as ~/x and "$HOME/x",
	// with nothing else produced at run time. It is empty if the home directory is unknown.
	Homed []int `json:"homed"`
	// Patterns lists those of Dynamic that are patterns of file names and nothing else, or the quoted
	// variable of a loop over such patterns. Either every matching file was found and examined, and no
	// other command of the text changes it; or only the last name of the path has wildcards, and they
	// match none of the names that are known to hold secrets. It also lists words whose names come
	// from another command, if these files were examined: what find finds and git tracks, for -exec,
	// through xargs and in $( ), also behind filters that keep whole lines. Process substitutions are
	// listed as well: their commands are segments of their own.
	Patterns []int `json:"patterns"`
	// Fits lists the patterns of file names among the words and in the variables that they use, each
	// with the files that match it, and the commands that produce names for this one, such as find,
	// with those files. An answer covers them.
	Fits []Fitting `json:"fits"`
	// Made describes those of Dynamic in which only the values of parameters are produced at run time.
	Made []MadeWord `json:"made"`
	// Scripts are the code files that the words name, as in sh x.sh, or that the program is
	// known to read, as make does; empty for every other command. An approval covers their
	// contents, but not what they load in turn.
	Scripts []Script `json:"scripts"`
	// Unbound lists code that the command would run and that cannot be identified by a file.
	Unbound []Unbound `json:"unbound"`
	// Cwd is the absolute directory in which the segment runs; "" if unknown.
	Cwd string `json:"cwd"`
	// Known is true if the catalog describes what the program's words do.
	Known bool `json:"known"`
	// Class describes the program's arguments, if it is a filter whose options are all known. The
	// filters are those of rego/gavel/catalog/programs and those that the configuration describes; the
	// snapshot adds the latter.
	Class *Class `json:"class,omitempty"`
	// Match is the allowlist entry that the executable's real path matches. The snapshot adds
	// it, from an index of the same configuration; without it, Rego finds the entry itself.
	Match *Match `json:"match,omitempty"`
	// Listed is the matching entry of the allowlist file, if any.
	Listed *Match `json:"listed,omitempty"`
	// Skill is the program that a gateway registered under the command's name, if the name is written
	// without a directory.
	Skill *SkillFacts `json:"skill,omitempty"`
}

// SkillFacts is the program that a skill has registered under a name, as the gateway states it.
type SkillFacts struct {
	Skill   string `json:"skill"`
	Program string `json:"program"`
	SHA256  string `json:"sha256"`
	// Content is the hash of the program that was found, in lower-case hex. "" if a gateway
	// claimed it, or it could not be read, or is too large.
	Content string `json:"content"`
}

// GivenOption is one option of a command line.
type GivenOption struct {
	Name string `json:"name"` // as written, with abbreviations in full
	// Names are all names of the option for this sub-command, sorted. If the grammar does not have the
	// option here, they are its names anywhere in the program.
	Names    []string `json:"names" nil:"empty"`
	Value    string   `json:"value"`    // "" for none; if it is produced at run time, its literal beginning
	HasValue bool     `json:"hasValue"` // the option has a value
	Dynamic  bool     `json:"dynamic"`  // its name or its value is produced at run time
	Known    bool     `json:"known"`    // the grammar has it
	Index    int      `json:"index"`    // index of the word in argv
}

// GivenOperand is one operand of a command line.
type GivenOperand struct {
	Text string `json:"text"` // if it is produced at run time, its literal beginning
	Path string `json:"path"` // the file that it would name, absolute, without . and ..; "" when that is unknown
	// Real is Path with every symbolic link resolved; "" when that is unknown. If the segment's list
	// of patterns has the index of the operand, it is the pattern below its resolved directory. If the
	// segment's list homed has it, it is the file.
	Real    string `json:"real"`
	Dynamic bool   `json:"dynamic"` // it is produced at run time
	Index   int    `json:"index"`   // index of the word in argv
}

// MadeWord is a word in which only values of parameters are produced at run time.
type MadeWord struct {
	Index     int      `json:"index"`                 // index of the word in argv
	Variables []string `json:"variables" nil:"empty"` // sorted; not those that a shell sets by itself, such as $?
	// Known is true if the text gives the variables only literal words before they are used:
	// the hazards and touches then cover each such value.
	Known bool `json:"known"`
}

// Fitting is a pattern of file names with the files that match it. A bracket expression counts as
// any character, so there may be more files than the shell finds.
type Fitting struct {
	Pattern string `json:"pattern" varies:"call"` // the pattern, or the command that produces the names
	Command bool   `json:"command"`               // Pattern has the command that produces the names
	// Known is true if every matching file was found. Otherwise the rest is empty.
	Known bool `json:"known"`
	Count int  `json:"count" varies:"call"`
	// Names are the first of the matching names, in the order of the shell and as it writes them.
	Names []string `json:"names" nil:"empty" varies:"call"`
	// SHA256 is the hash of all names and of the real paths that they lead to, in lower-case hex.
	SHA256 string `json:"sha256" varies:"call"`
}

// Wrapper is a program that runs a segment.
type Wrapper struct {
	Executable Executable `json:"executable"`
	// Kind is one of shell, login (a shell that reads the start-up files of a login),
	// dispatcher, multiplexer, builtin, privilege and runner.
	Kind string   `json:"kind"`
	Argv []string `json:"argv" nil:"empty" varies:"call"` // its own words, without those of the command
	// Commands, Options and Operands, and how far they are known, are as in a segment, for these words.
	Commands      []string       `json:"commands" nil:"empty" varies:"call"`
	CommandsKnown string         `json:"commandsKnown" varies:"call"`
	Options       []GivenOption  `json:"options" varies:"call"`
	OptionsKnown  string         `json:"optionsKnown" varies:"call"`
	Operands      []GivenOperand `json:"operands" varies:"call"`
	// Hazards are the hazards among its own words, as in a segment.
	Hazards []Hazard `json:"hazards"`
	// Match and Listed are as in a segment.
	Match  *Match `json:"match,omitempty"`
	Listed *Match `json:"listed,omitempty"`
}

// Executable is the program that a segment's first word names. It runs by its real path,
// because the command itself could change a link. If the name of a link decides what the
// program does, as for an applet of busybox, it runs by that link and is judged by that name.
type Executable struct {
	Name     string `json:"name"`     // the base name of the first word
	Path     string `json:"path"`     // where the search found it, absolute; "" when not found
	Real     string `json:"real"`     // the same with every symbolic link resolved
	RealName string `json:"realName"` // the base name of Real
	// Programs are the names under which tables may list the program, in lower case: Name and
	// RealName, unchanged and without a target, a version or a build, so that x86_64-linux-gnu-gcc-12
	// is also gcc. The names from Name come first.
	Programs []string `json:"programs"`
	// Link is the file behind Real, with every symbolic link resolved, for a program whose
	// name decides what it does: Real is then the link that was named, and Writable covers
	// the links on the way too. "" for every other program.
	Link  string `json:"link"`
	Found bool   `json:"found"`
	// Device and Inode belong to the file at Real, decimal; "" when a gateway
	// claimed the program, or it was not found.
	Device string `json:"device"`
	Inode  string `json:"inode"`
	// Writable says how users other than root could replace the program, sorted: file (the
	// file at Real), directory (its directory) and above (a parent of that). Each is writable
	// by its group or by everybody, or has an owner other than root. It has workspace as well if
	// the program, or a link to it, is in the workspace, where the agent may be root. It is empty
	// if a gateway claimed the program. Access control lists are not examined.
	Writable []string `json:"writable"`
	// LinkOfRoot is true if Path is a symbolic link, and only root can change it, every link behind
	// it, and the file. It is false if a gateway claimed the program.
	LinkOfRoot bool `json:"linkOfRoot"`
	// SHA256 is the hash of the file, lower-case hex, for a program that is outside the system's
	// directories or that users other than root can change. It is "" for every other program, if a
	// gateway claimed it, and if it is too large.
	SHA256 string `json:"sha256"`
	// Interpreter is the interpreter of a program that is text: the words after #!, or sh if there are
	// none. It is "" for every other program, and if SHA256 is empty.
	Interpreter string `json:"interpreter"`
}

// Unbound is code that cannot be identified.
type Unbound struct {
	What string `json:"what"` // for people: a word, a file, standard input
	// Why is one of missing, dynamic, stdin, large, claimed, module, download, project
	// and opaque.
	Why string `json:"why"`
}

// Script is a code file that a command names.
type Script struct {
	// Role is one of script (it is run), module (it is loaded with a script), project (a tool reads it
	// from the project), config, interpreter, input (standard input), and file (an argument of a
	// program that the catalog does not describe).
	Role   string `json:"role"`
	Path   string `json:"path"`   // absolute, as it was named; "" when not found
	Real   string `json:"real"`   // the same with every symbolic link resolved
	Device string `json:"device"` // as in an executable
	Inode  string `json:"inode"`
	// SHA256 is the hash of its content, lower-case hex. "" if a gateway claimed the file, or
	// it could not be read, or is too large.
	SHA256 string `json:"sha256"`
	Found  bool   `json:"found"` // it exists, and can be read
}

// Hazard is an argument of a well-known program that does more than it seems. The
// catalog is rego/gavel/catalog/programs.
type Hazard struct {
	// Kind is one of runs, inline, writes, reads, network, loads, directory (the program works in that
	// directory), elsewhere (a path outside the workspace) and unknown (an option that is not in the
	// program's complete list).
	Kind string `json:"kind"`
	// Option is the argument's name in the table: an option in full, or the name
	// of a sub-command or of a rule about operands.
	Option   string `json:"option"`
	Argument string `json:"argument" varies:"call"` // the option's value or the operand; "" for none
	Index    int    `json:"index" varies:"call"`    // index of the word in argv
	// Real is the file that Argument names, with every symbolic link resolved; "" for an
	// argument that is not a file, or if it is unknown.
	Real string `json:"real"`
}

// Match is the first allowlist entry that matches; found is false if there is none.
type Match struct {
	Found   bool   `json:"found"`
	Pattern string `json:"pattern"`
	Path    string `json:"path"` // configuration path of the entry
	// Args lists the hazards that the entry accepts, by their names; [any] accepts all.
	Args []string `json:"args" nil:"empty"`
	// Rules are the rules of all lists that may apply to the program; their other conditions are not
	// checked here. It is nil if they were not looked up.
	Rules []RuleRef `json:"rules"`
}

// RuleRef is the location of a rule about commands.
type RuleRef struct {
	List  string `json:"list"`  // tools.exec, agents.main.exec, agents.defaults.exec or packs.NAME
	Index int    `json:"index"` // index among the rules of the list
	// Target is the real path of the rule's program when the policy was loaded, if the program is a
	// link. It is "" for every other rule.
	Target string `json:"target"`
}
