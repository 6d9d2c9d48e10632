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
	Approval *Pending `json:"approval,omitempty"` // set when an approval was opened
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
}

// Source is the setting that decided. File and Line are empty for a setting
// that stands in no file, such as a built-in default.
type Source struct {
	Path string `json:"path,omitempty"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
	// From says whose setting it is: agent, global or default.
	From string `json:"from,omitempty"`
}

// Exec is what a PEP should execute: Command runs exactly Segments on Host.
type Exec struct {
	Host     string            `json:"host"`
	Node     string            `json:"node,omitempty"`
	Segments []ExecSegment     `json:"segments,omitempty"`
	Command  string            `json:"command,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
}

// ExecSegment is one simple command, its program by full path, and what
// permitted it: allowlist, safeBins, skills or full.
type ExecSegment struct {
	Argv []string `json:"argv"`
	By   string   `json:"by,omitempty"`
	// Wrappers are the programs that run it, outermost first, each with its own
	// words: nice, env, sh -c.
	Wrappers [][]string `json:"wrappers,omitempty"`
}

// Pending names the approval that an ask waits for.
type Pending struct {
	ID        string    `json:"id"`
	ExpiresAt time.Time `json:"expiresAt"`
}

// Layer is one layer's verdict, for explanations.
type Layer struct {
	Layer    string `json:"layer"`
	Title    string `json:"title"`
	Required bool   `json:"required"`
	// Verdict is permit, deny or ask; "silent" when the layer says nothing, and
	// "not required" when it has no say in this call.
	Verdict string   `json:"verdict"`
	Permit  bool     `json:"permit"`
	Reasons []Reason `json:"reasons"`
	// Duration is how long this layer took by itself, in nanoseconds.
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
