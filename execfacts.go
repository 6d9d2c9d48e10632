package gavel

// ExecFacts is an analyzed shell command.
type ExecFacts struct {
	Command string `json:"command" varies:"call" disclose:"call"` // as the call has it
	Shell   string `json:"shell" disclose:"call"`                 // the shell that will run the command
	Workdir string `json:"workdir"`                               // absolute, or "" when unknown
	// Directory is Workdir by its real path; "" if unknown. Place is its classification:
	// closed, secret or "".
	Directory string `json:"directory"`
	Place     string `json:"place"`
	// Parsed is true if every construct of the command was understood. Only then do Segments
	// and Rendered say what would run.
	Parsed  bool     `json:"parsed" disclose:"call"`
	Refusal *Refusal `json:"refusal,omitempty" disclose:"call"`
	// Constructs are the parts of the grammar that the policy decides about (R19), in order
	// of occurrence; empty if the command was not understood.
	Constructs []Construct `json:"constructs" disclose:"call"`
	Redirects  []Redirect  `json:"redirects"`
	Segments   []Segment   `json:"segments" nil:"empty" disclose:"parts"`
	// Rendered is the command printed from its syntax tree, with every word quoted and every
	// program by its full path. Running it runs the segments. It is empty if a program was
	// not found.
	Rendered string `json:"rendered" varies:"call"`
	// Request is what the call itself asks for.
	Request ExecRequest `json:"request" disclose:"call"`
	// Env lists the names, in upper case and sorted, of the variables that the call would set
	// or unset, in its env parameter, in the command itself or through a wrapper such as env.
	// The values are not among the facts.
	Env []string `json:"env" nil:"empty" disclose:"call"`
	// Variables lists the names, as written and sorted, of the variables that the command's
	// own text sets or unsets. For a text that was not understood, it lists names that appear
	// to be set, perhaps too many.
	Variables []string `json:"variables" nil:"empty" disclose:"call"`
	// Expanded lists the names, as written and sorted, of the variables whose values the
	// command's own text uses.
	Expanded []string `json:"expanded" nil:"empty"`
	// Assigned describes the values of the variables of Env, sorted by name and form. For a
	// text that was not understood, it has only the variables of the env parameter.
	Assigned []Assignment `json:"assigned"`
	// Unknown lists parameters that the exec tool does not have, or that have the wrong type,
	// sorted. tool.misfits describes them.
	Unknown []string `json:"unknown" nil:"empty" disclose:"call"`
	// Run is how the call wants its command to be run.
	Run ExecRun `json:"run" disclose:"call"`
}

// ExecRun is how an exec call wants its command to be run, apart from where and with whose
// consent.
type ExecRun struct {
	Background bool `json:"background"` // in the background from the start
	Pty        bool `json:"pty"`        // in a terminal
	// Timeout and YieldMs are in milliseconds, rounded up. They are 0 if the call does not have them,
	// and -1 if they are not positive. YieldMs is when the command goes to the background.
	Timeout int `json:"timeout"`
	YieldMs int `json:"yieldMs"`
}

// Assignment is a variable and the form of one of its values.
type Assignment struct {
	Name string `json:"name"` // as written
	// Form is what the value looks like:
	//
	//	none       the variable is unset, or exported unchanged
	//	plain      only letters, digits and the characters -._:@%+=, with no dash in front, a number
	//	           that is produced at run time, or an http or https address
	//	evaluates  its text would run or look up something if a shell evaluated it: it
	//	           has $( ), ${ }, backticks or a subscript
	//	dynamic    it is produced at run time
	//	other      any other text
	Form string `json:"form" enum:"none,plain,evaluates,dynamic,other"`
	// Exported is true if the programs that the command runs receive the variable. It is false for a
	// variable of the shell alone, unless the environment has one of the same name.
	Exported bool `json:"exported"`
	// Shell is the shell that sets the variable: the one that gets the text, as in zsh -c, or the one
	// that the gateway stated. It is "" if that is unknown, and for a variable that no shell sets.
	Shell string `json:"shell"`
	// Value is the literal value of a variable for which rules know harmless values
	// (rego/gavel/catalog/environment); "" for any other variable.
	Value string `json:"value"`
	// Places are the real paths of the directories in the value, for a variable that lists directories
	// of modules and is set for some segments only. Code then lists the files and directories whose
	// code these segments run, if each of them runs code of the workspace and nothing else. Otherwise
	// both are empty. Places is also empty if one of the directories is unknown.
	Places []string `json:"places" nil:"empty"`
	Code   []string `json:"code" nil:"empty"`
}

// ExecRequest is what an exec call itself asks for, trimmed and in lower case.
type ExecRequest struct {
	Host     string `json:"host"`
	Security string `json:"security"`
	Ask      string `json:"ask"`
	Node     string `json:"node"`
	Elevated bool   `json:"elevated"` // the call asks to leave the sandbox
	// Declined is true if the call asks to stay in the sandbox: its parameter elevated is false.
	Declined bool `json:"declined"`
}

// Refusal says why a command could not be understood, and where. Start and End
// are byte offsets into the command; Line and Column count from 1.
type Refusal struct {
	// Kind is one of limit, guard, dialect, syntax, redirect, substitution, heredoc,
	// compound, expansion, assignment, construct, parameters; evaluated for a word of a
	// builtin that the shell could evaluate; and rendering for a command whose printed text
	// could not be verified.
	Kind      string `json:"kind"`
	Construct string `json:"construct"` // the construct's name, for people
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
}

// Construct is a part of the grammar beyond simple commands. Start and End are byte offsets
// into the command; for a construct inside a wrapper's text they are those of the wrapper.
type Construct struct {
	// Kind is one of redirect, heredoc, substitution and compound.
	Kind      string `json:"kind"`
	Construct string `json:"construct"` // its name, for people
	Start     int    `json:"start"`
	End       int    `json:"end"`
}

// Redirect is one redirection of the shell.
type Redirect struct {
	Operator   string `json:"operator"`   // such as >, >>, <, &>, >&, << and <<<
	Descriptor string `json:"descriptor"` // in front of the operator; "" when none is written
	// Reads and Writes say how the file of Path is used. Both are false for a duplicated or
	// closed descriptor, a here-document and a here-string.
	Reads  bool `json:"reads"`
	Writes bool `json:"writes"`
	// Target is the word or the here-document after quote removal. Dynamic is true if it is
	// produced at run time; Target is then its source.
	Target  string `json:"target"`
	Dynamic bool   `json:"dynamic"`
	Path    string `json:"path"` // the file, absolute; "" when that is unknown
	Real    string `json:"real"` // the same with every symbolic link resolved; "" when not known
	// After is true if a command that may change where paths lead may run before the file is
	// opened, or concurrently; Real is then where the path led before.
	After bool `json:"after"`
	// AfterCode lists the files and directories of the workspace whose code these commands run, by
	// their real paths, if each of them runs such code. Otherwise it is empty.
	AfterCode []string `json:"afterCode" nil:"empty"`
	Start     int      `json:"start"`
	End       int      `json:"end"`
}
