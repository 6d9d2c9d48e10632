package gavel

// Facts is what the analyzer observed about a call: things that a witness could
// swear to, and no verdict. It is exactly the `input` of the Rego modules, and
// rego/schema/facts.json describes it (a test compares the two).
//
// Every member is present, so that a rule can tell "no" from "not observed":
// rules read a missing fact as whatever permits least.
type Facts struct {
	Agent       AgentFacts          `json:"agent"`
	Session     SessionFacts        `json:"session"`
	Model       ModelFacts          `json:"model"`
	Sender      SenderFacts         `json:"sender"`
	Group       GroupFacts          `json:"group"`
	Tool        ToolFacts           `json:"tool"`
	Plugins     map[string][]string `json:"plugins"`
	Environment EnvironmentFacts    `json:"environment"`
	// Exec is set for the exec tool only.
	Exec *ExecFacts `json:"exec,omitempty"`
}

// AgentFacts is the agent with every gap filled by observation.
type AgentFacts struct {
	ID      string        `json:"id"`      // trimmed, lower case
	Parents []ParentFacts `json:"parents"` // nearest first
	Depth   int           `json:"depth"`   // the largest that any evidence shows
	// MaxDepth is the leaf depth that the gateway named, or 0 when it named none.
	MaxDepth  int  `json:"maxDepth"`
	Sandboxed bool `json:"sandboxed"` // what the gateway said; configuration may add to it
}

// ParentFacts is one ancestor and the depth at which it runs.
type ParentFacts struct {
	ID    string `json:"id"`
	Depth int    `json:"depth"`
}

// SessionFacts is the session's own settings, trimmed and lower case.
type SessionFacts struct {
	Key      string           `json:"key"`
	Exec     SessionExecFacts `json:"exec"`
	Elevated string           `json:"elevated"` // of the session
	Inline   string           `json:"inline"`   // of the current message
}

// SessionExecFacts is what /exec set for the session; "" where it set nothing.
type SessionExecFacts struct {
	Security string `json:"security"`
	Ask      string `json:"ask"`
	Host     string `json:"host"`
	Node     string `json:"node"`
}

// ModelFacts is the model, trimmed and lower case.
type ModelFacts struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// SenderFacts is the sender's identity tokens: trimmed, lower case, and free of
// a leading @ where a channel writes one. Owner is true only when a trusted
// gateway said so.
type SenderFacts struct {
	Channel  string `json:"channel"`
	ID       string `json:"id"`
	Name     string `json:"name"`
	Username string `json:"username"`
	Tag      string `json:"tag"`
	From     string `json:"from"`
	E164     string `json:"e164"`
	Owner    bool   `json:"owner"`
}

// GroupFacts is the conversation, with the ids under which configuration may
// name it, most specific first.
type GroupFacts struct {
	Channel string   `json:"channel"`
	Account string   `json:"account"`
	IDs     []string `json:"ids"`
}

// ToolFacts is the tool under its one name.
type ToolFacts struct {
	Name   string         `json:"name"`   // normalised: trimmed, lower case, aliases resolved
	Given  string         `json:"given"`  // as the gateway wrote it
	Plugin string         `json:"plugin"` // trimmed, lower case
	Params map[string]any `json:"params"` // as given
}

// EnvironmentFacts says where the call would run.
type EnvironmentFacts struct {
	Cwd      string `json:"cwd"`
	Home     string `json:"home"`
	Platform string `json:"platform"`
	// Claimed is true when a trusted gateway said which executables exist, and
	// false when they were looked up on this machine.
	Claimed bool `json:"claimed"`
}

// ExecFacts is a shell command taken apart.
type ExecFacts struct {
	Command string `json:"command"` // as given
	Shell   string `json:"shell"`   // what will run the text
	Workdir string `json:"workdir"` // absolute, or "" when unknown
	// Parsed is true when every construct of the command was understood. Only
	// then do Segments and Rendered say what would run.
	Parsed   bool      `json:"parsed"`
	Refusal  *Refusal  `json:"refusal,omitempty"`
	Segments []Segment `json:"segments"`
	// Rendered is the command printed from its tree, every word literally quoted
	// and every program by its full path. Running it runs the segments. It is
	// empty when a program was not found.
	Rendered string `json:"rendered"`
	// Request is what the call itself asks for.
	Request ExecRequest `json:"request"`
	// Env lists the names, upper case, sorted, of the variables that the call
	// would set, in its env parameter or through a wrapper such as env, and of those
	// that a wrapper would take away. Values are no fact of ours.
	Env []string `json:"env"`
	// Unknown lists parameters that the exec tool does not have, or whose value
	// has the wrong type, sorted.
	Unknown []string `json:"unknown"`
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
	// heredoc, compound, expansion, assignment, construct, parameters.
	Kind      string `json:"kind"`
	Construct string `json:"construct"` // the construct's name, for people
	Start     int    `json:"start"`
	End       int    `json:"end"`
	Line      int    `json:"line"`
	Column    int    `json:"column"`
}

// Segment is one simple command that the shell line would run, by itself or
// through wrappers. Segments inside of one wrapper have its place.
type Segment struct {
	Argv       []string   `json:"argv"` // words after quote removal; argv[0] as written
	Executable Executable `json:"executable"`
	Start      int        `json:"start"` // byte offsets into the command
	End        int        `json:"end"`
	// Wrappers are the programs through which it would run, outermost first.
	Wrappers []Wrapper `json:"wrappers"`
	// Opaque says why a wrapper could not be taken off, such as "env -S"; then Argv
	// is the wrapper's own. It is "" for every other command.
	Opaque string `json:"opaque"`
	// Hazards are arguments with which the program is known to run, write, read,
	// reach or load something; empty when it has none, or is not known.
	Hazards []Hazard `json:"hazards"`
	// Match is the allowlist entry that the executable's real path satisfies.
	// The snapshot adds it, from an index of the same configuration; where it is
	// missing, Rego finds it by itself.
	Match *Match `json:"match,omitempty"`
}

// Wrapper is a program that would run a segment.
type Wrapper struct {
	Executable Executable `json:"executable"`
	Kind       string     `json:"kind"` // shell, dispatcher, multiplexer
	Argv       []string   `json:"argv"` // its own words, without those of the command
	// Match is as in Segment.
	Match *Match `json:"match,omitempty"`
}

// Executable is the program that a segment's first word names. It is run by its
// real path: a link could be turned to another program by the very command that
// uses it. A program that does what the name of a link says, such as busybox,
// therefore does not run by that name.
type Executable struct {
	Name     string `json:"name"`     // the base name of the first word
	Path     string `json:"path"`     // where the search found it, absolute; "" when not found
	Real     string `json:"real"`     // the same with every symbolic link resolved
	RealName string `json:"realName"` // the base name of Real
	Found    bool   `json:"found"`
}

// Hazard is an argument of a well-known program that does more than it seems. The
// table is rego/gavel/catalog/hazards.
type Hazard struct {
	// Kind is one of runs, inline, writes, reads, network, loads, and unknown: an
	// option that the program's table, which has all of them, does not know.
	Kind string `json:"kind"`
	// Option is the argument's name in the table: an option in full, or the name
	// of a sub-command or of a rule about operands.
	Option   string `json:"option"`
	Argument string `json:"argument"` // the option's value or the operand; "" for none
	Index    int    `json:"index"`    // position in Argv
}

// Match is the first allowlist entry that fits, or none.
type Match struct {
	Found   bool   `json:"found"`
	Pattern string `json:"pattern"`
	Path    string `json:"path"` // configuration path of the entry
	// Args lists the hazards that the entry accepts, by Option; [any] accepts
	// every one.
	Args []string `json:"args"`
}
