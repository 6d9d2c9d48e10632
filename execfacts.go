package gavel

// ExecFacts is a shell command taken apart.
type ExecFacts struct {
	Command string `json:"command" lean:"-"` // as given
	Shell   string `json:"shell"`            // what will run the text
	Workdir string `json:"workdir"`          // absolute, or "" when unknown
	// Directory is Workdir by its real path; "" when that is not known. Place is what the
	// tables say of it: closed, secret or "".
	Directory string `json:"directory"`
	Place     string `json:"place"`
	// Parsed is true when every construct of the command was understood. Only
	// then do Segments and Rendered say what would run.
	Parsed  bool     `json:"parsed"`
	Refusal *Refusal `json:"refusal,omitempty"`
	// Constructs are the parts of the grammar that policy decides about (R19), in the
	// order in which they were met; empty when the command was not understood.
	Constructs []Construct `json:"constructs"`
	Redirects  []Redirect  `json:"redirects"`
	Segments   []Segment   `json:"segments" nil:"empty"`
	// Rendered is the command printed from its tree, every word literally quoted
	// and every program by its full path. Running it runs the segments. It is
	// empty when a program was not found.
	Rendered string `json:"rendered" lean:"-"`
	// Request is what the call itself asks for.
	Request ExecRequest `json:"request"`
	// Env lists the names, upper case, sorted, of the variables that the call
	// would set, in its env parameter, in the command itself or through a wrapper such
	// as env, and of those that it would take away. Values are no fact of ours.
	Env []string `json:"env" nil:"empty"`
	// Variables lists the names, as written, sorted, of those that the command's own
	// text sets or takes away. Of a text that was not understood it lists those that
	// stand there to be set, perhaps more.
	Variables []string `json:"variables" nil:"empty"`
	// Assigned says what the variables of Env are given, sorted by name and form. Of a
	// text that was not understood it has those of the env parameter only.
	Assigned []Assignment `json:"assigned"`
	// Unknown lists parameters that the exec tool does not have, or whose value
	// has the wrong type, sorted.
	Unknown []string `json:"unknown" nil:"empty"`
}

// Assignment is a variable with what one of the values looks like that it is given.
type Assignment struct {
	Name string `json:"name"` // as written
	// Form is what the value looks like:
	//
	//	none       it is taken away, or exported as it is
	//	plain      letters, digits and -._:@%+=, only, with no dash in front; a number
	//	           that is made at run time; or an http or https address
	//	evaluates  what is written of it would run or look up something if a shell
	//	           evaluated it: $( ), ${ }, backticks, a subscript
	//	dynamic    the shell makes it at run time
	//	other      every other text
	Form string `json:"form" enum:"none,plain,evaluates,dynamic,other"`
	// Exported is true when programs that the command runs get it. It is false of a
	// variable of the shell alone, unless the environment has one of the same name.
	Exported bool `json:"exported"`
	// Shell is the shell that sets it: the name that the text is given to, as in zsh -c,
	// or that the gateway stated. It is "" where nobody said which shell that is, and of a
	// variable that no shell sets.
	Shell string `json:"shell"`
}

// ExecRequest is what an exec call asks for itself: trimmed, lower case.
type ExecRequest struct {
	Host     string `json:"host"`
	Security string `json:"security"`
	Ask      string `json:"ask"`
	Node     string `json:"node"`
	Elevated bool   `json:"elevated"`
}

// Refusal says why a command could not be understood, and where. Start and End
// are byte offsets into the command; Line and Column count from 1.
type Refusal struct {
	// Kind is one of limit, guard, dialect, syntax, redirect, substitution,
	// heredoc, compound, expansion, assignment, construct, parameters; evaluated for a
	// word of a builtin that the shell could evaluate; rendering for a command of which it
	// could not be shown that it says, once printed, what was judged.
	Kind      string `json:"kind"`
	Construct string `json:"construct"` // the construct's name, for people
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
}

// Construct is a part of the grammar beyond simple commands. Start and End are byte
// offsets into the command; inside of a wrapper's text they are the wrapper's.
type Construct struct {
	// Kind is one of redirect, heredoc, substitution, compound.
	Kind      string `json:"kind"`
	Construct string `json:"construct"` // its name, for people
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// Redirect is one redirection of the shell.
type Redirect struct {
	Operator   string `json:"operator"`   // such as >, >>, <, &>, >&, << and <<<
	Descriptor string `json:"descriptor"` // in front of the operator; "" when none is written
	// Reads and Writes say what is done to the file of Path. Neither is true of a
	// duplicated or closed descriptor, a here-document and a here-string.
	Reads  bool `json:"reads"`
	Writes bool `json:"writes"`
	// Target is the word or the here-document after quote removal. Dynamic is true
	// when the shell makes it at run time; then Target is its source.
	Target  string `json:"target"`
	Dynamic bool   `json:"dynamic"`
	Path    string `json:"path"` // the file, absolute; "" when that is not known
	Real    string `json:"real"` // the same with every symbolic link resolved; "" when not known
	// After is true when a command that may change where paths lead may run before the
	// file is opened, or beside it; then Real says where it led before.
	After bool `json:"after"`
	Start int  `json:"start"`
	End   int  `json:"end"`
}
