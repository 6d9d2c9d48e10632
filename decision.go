package gavel

import "time"

// Decision is Gavel's answer. It is the body of a 200 from POST /v1/decisions
// and one line of output of `gavel decide`.
type Decision struct {
	ID       string   `json:"id"`             // a UUID, also in the decision log
	Call     string   `json:"call,omitempty"` // the call's own id
	Effect   Effect   `json:"decision"`
	Reasons  []Reason `json:"reasons"`            // at least one; of an allow: what permitted it
	Exec     *Exec    `json:"exec,omitempty"`     // what exactly to execute; only where exec may run
	Terms    *Terms   `json:"terms,omitempty"`    // of an ask: how a person may answer it
	Approval *Pending `json:"approval,omitempty"` // set when an approval was opened, or used
	Verify   []string `json:"verify,omitempty"`   // outside authorities that must agree
	Revision string   `json:"revision"`           // of the snapshot that decided
	// Layers and Facts are present when an explanation was asked for.
	Layers []Layer `json:"layers,omitempty"`
	Facts  *Facts  `json:"facts,omitempty"`
}

// Reason says why, in words and in a code that does not change.
type Reason struct {
	Layer   string `json:"layer"`
	Code    string `json:"code"` // layer.rule
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"` // what would change the answer
	Source  Source `json:"source,omitzero"`
	// Span is the part of an exec command that the reason is about; nil when it is
	// about all of it, or about something else.
	Span *Span `json:"span,omitempty"`
}

// Span is a part of a text: from Start up to, but not with, End, in bytes.
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

// Source is the setting that decided. File and Line are empty for a setting
// that is in no file, such as a built-in default.
type Source struct {
	Path string `json:"path,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// From says whose setting it is: agent, global or default.
	From string `json:"from,omitempty"`
}

// Exec is what a PEP should execute on Host: Command, as one text for the shell that
// was named. It runs the Segments and nothing else. Where it has more than operators
// between them, such as loops and redirections, the segments by themselves are not it.
type Exec struct {
	Host     string            `json:"host"`
	Node     string            `json:"node,omitempty"`
	Segments []ExecSegment     `json:"segments,omitempty"`
	Command  string            `json:"command,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	// PathPrepend are directories that the PEP puts before PATH, in order: those in
	// which programs were looked for first.
	PathPrepend []string `json:"pathPrepend,omitempty"`
	// Offer is what an approval of an ask could cover besides this one call.
	Offer *Offer `json:"offer,omitempty"`
}

// Offer is what an allow-always would add to the allowlist: Patterns for all segments,
// or none, and then Refused says why. Templates are narrower than the patterns.
type Offer struct {
	Patterns  []OfferedPattern `json:"patterns"`
	Templates []Template       `json:"templates"`
	Refused   []Reason         `json:"refused"`
	// Exact is true when exactly this command could be allowed permanently: with its
	// directory, and with what its files hold.
	Exact bool `json:"exact"`
}

// OfferedPattern is one allowlist entry: a path, and the argument hazards that the
// entry has to accept by name.
type OfferedPattern struct {
	Pattern string   `json:"pattern"`
	Args    []string `json:"args"`
	// Only limits the entry to what was judged; nil does not.
	Only *Only `json:"only,omitempty"`
}

// Only is what an entry that an answer made is limited to (R40). Another segment, or
// another command, is a miss.
type Only struct {
	// Form is one of command: exactly this one, as Command says; words: exactly these
	// words behind the program, in this directory; operands: other plain operands.
	Form string `json:"form"`
	// Command is the hash of the whole command: the binding without the session.
	Command string   `json:"command,omitempty"`
	Argv    []string `json:"argv,omitempty"`    // the words behind the program
	Cwd     string   `json:"cwd,omitempty"`     // where it runs
	Targets []string `json:"targets,omitempty"` // files that hazards name, by their real paths, in order
	// SubCommand, Options (words with a dash) and Words (operands that are not plain)
	// are those that may be there.
	SubCommand string   `json:"subCommand,omitempty"`
	Options    []string `json:"options,omitempty"`
	Words      []string `json:"words,omitempty"`
	// SHA256 is the content of the program, where users other than root can change it.
	SHA256 string `json:"sha256,omitempty"`
	// Secrets are digests of words that hold secrets, by their place, such as argv/2. The
	// word itself is masked there, and matches by the digest alone. The approvals file
	// makes and compares them.
	Secrets map[string]string `json:"secrets,omitempty"`
}

// The forms of an entry that an answer made.
const (
	FormCommand  = "command"
	FormWords    = "words"
	FormOperands = "operands"
)

// Template is an entry in words, for the operator who is asked.
type Template struct {
	Pattern string   `json:"pattern"`
	Argv    []string `json:"argv"`  // words that stay; "<args>" is any other plain words
	Flags   []string `json:"flags"` // options that may be there
	Args    []string `json:"args"`  // as in OfferedPattern
	// Admits says what it admits.
	Admits string `json:"admits"`
}

// ExecSegment is one simple command, its program by full path, and what permitted it:
// allowlist, safeBins, skills, full, or builtin for a command of the shell itself.
type ExecSegment struct {
	Argv []string `json:"argv"`
	By   string   `json:"by,omitempty"`
	// Dynamic lists the positions in Argv of words that the shell makes at run time;
	// Argv has them as they are written.
	Dynamic []int `json:"dynamic,omitempty"`
	// Wrappers are the programs that run it, outermost first, each with its own
	// words: nice, env, sh -c.
	Wrappers [][]string `json:"wrappers,omitempty"`
}

// Pending names the approval that an ask waits for, that an allow used up, or that a person
// denied.
type Pending struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
	// Comment is what people said with their answer, for the agent to read. It is made harmless.
	Comment string `json:"comment,omitempty"`
	// Grant shows the approval to whoever runs the call elsewhere; of an allow only.
	Grant *Grant `json:"grant,omitempty"`
}

// Layer is one layer's verdict, for explanations.
type Layer struct {
	Layer    string `json:"layer"`
	Title    string `json:"title"`
	Required bool   `json:"required"`
	// Verdict is permit, deny or ask; "silent" when the layer says nothing, and
	// "not required" when it does not apply to this call.
	Verdict string   `json:"verdict"`
	Permit  bool     `json:"permit"`
	Reasons []Reason `json:"reasons"`
	// Duration is how long the layer's own rules took, in nanoseconds; what one layer
	// asks of another, such as approvals of exec, is the other's time, once.
	Duration time.Duration `json:"durationNs"`
}

// ToolReport is the answer to "what may this agent see?".
type ToolReport struct {
	Tools []ToolVerdict `json:"tools"`
	// Allowlists reports, step by step, what became of lists that name plugin
	// tools only or entries that nothing provides.
	Allowlists []AllowlistResolution `json:"allowlists,omitempty"`
	Reasons    []Reason              `json:"reasons,omitempty"` // why nothing is visible at all
	Revision   string                `json:"revision"`
}

// ToolVerdict says whether one tool is visible, and which step decided.
type ToolVerdict struct {
	Name    string  `json:"name"`
	Visible bool    `json:"visible"`
	Step    string  `json:"step,omitempty"` // label of the step that removed it
	Reason  *Reason `json:"reason,omitempty"`
}

// AllowlistResolution is what became of one step's allow list.
type AllowlistResolution struct {
	Step              string   `json:"step"`
	Source            Source   `json:"source"`
	Policy            []string `json:"policy"`            // the list in force; empty means no filter
	UnknownAllowlist  []string `json:"unknownAllowlist"`  // entries that no present tool answers to
	StrippedAllowlist bool     `json:"strippedAllowlist"` // the list named plugin tools only and was dropped
}
