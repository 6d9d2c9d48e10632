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
	Web      *Web     `json:"web,omitempty"`      // how to open a URL; only for web tools that may
	Terms    *Terms   `json:"terms,omitempty"`    // of an ask: how a person may answer it
	Approval *Pending `json:"approval,omitempty"` // set when an approval was opened, or used
	Verify   []string `json:"verify,omitempty"`   // outside authorities that must agree, or have agreed
	Revision string   `json:"revision"`           // of the snapshot that decided
	// Change is present if it was requested and the call was refused.
	Change *Change `json:"change,omitempty"`
	// Overrides, Layers and Facts are present if an explanation was requested. Overrides are the
	// flags and variables that win over the configuration, whether or not one decided.
	Overrides []string `json:"overrides,omitempty"`
	Layers    []Layer  `json:"layers,omitempty"`
	Facts     *Facts   `json:"facts,omitempty"`
	// Asks is set if only verifiers stand between the call and an allow, and they were not
	// asked. The decision denies until they are.
	Asks *Asks `json:"-"`
}

// Reason explains a decision, in words and with a stable code.
type Reason struct {
	Layer   string `json:"layer"`
	Code    string `json:"code"` // layer.rule
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"` // what would change the answer
	Source  Source `json:"source,omitzero"`
	// Span is the part of an exec command that the reason is about; nil if it is about the
	// whole command or something else.
	Span *Span `json:"span,omitempty"`
}

// Span is a part of a text, in bytes: from Start up to and excluding End.
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
	// From is the owner of the setting: agent, global or default.
	From string `json:"from,omitempty"`
}

// Exec is what a PEP should execute on Host: Command, as one text for the shell that was
// stated. It runs exactly the Segments. If it has more than operators between them, such as
// loops and redirections, the segments alone are not equivalent.
type Exec struct {
	Host     string            `json:"host"`
	Node     string            `json:"node,omitempty"`
	Segments []ExecSegment     `json:"segments,omitempty"`
	Command  string            `json:"command,omitempty"`
	Env      map[string]string `json:"env,omitempty"`
	// PathPrepend are directories that the PEP must put before PATH, in order: those in which
	// programs were looked up first.
	PathPrepend []string `json:"pathPrepend,omitempty"`
	// Sandbox is the sandbox that the command must run in; only if Host is sandbox.
	Sandbox *Sandbox `json:"sandbox,omitempty"`
	// Synchronous is true if the command must not go to the background, because the agent may
	// not use the tool process.
	Synchronous bool `json:"synchronous,omitempty"`
	// Lifecycle is what is configured of how commands run; nil if nothing is.
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`
	// Writes says where the command may write, for a PEP that limits it; nil if no allow list of
	// tools.write is set.
	Writes *Writes `json:"writes,omitempty"`
	// Ignored lists parameters of the call that the PEP must ignore, sorted.
	Ignored []string `json:"ignored,omitempty"`
	// Offer is what an approval of an ask could cover besides this call.
	Offer *Offer `json:"offer,omitempty"`
	// Pins are present if they were requested, and the command may run.
	Pins *Pins `json:"pins,omitempty"`
}

// Obligations returns the members that say how a PEP must run the command, by their names in JSON. A
// grant has them, so that they are still those of the decision where the command runs.
func (e *Exec) Obligations() map[string]any {
	list := map[string]any{}
	if e == nil {
		return list
	}
	if e.Sandbox != nil {
		list["sandbox"] = e.Sandbox
	}
	if e.Synchronous {
		list["synchronous"] = true
	}
	if e.Lifecycle != nil {
		list["lifecycle"] = e.Lifecycle
	}
	if e.Writes != nil {
		list["writes"] = e.Writes
	}
	if len(e.Ignored) > 0 {
		list["ignored"] = e.Ignored
	}
	return list
}

// Lifecycle is what is configured of how commands run, for a PEP that runs them. It permits nothing;
// a member that is nil is not configured. Numbers are whole, and not negative.
type Lifecycle struct {
	ApprovalRunningNoticeMs  *int64 `json:"approvalRunningNoticeMs,omitempty"` // 0 is never
	BackgroundMs             *int64 `json:"backgroundMs,omitempty"`
	CleanupMs                *int64 `json:"cleanupMs,omitempty"`
	NotifyOnExit             *bool  `json:"notifyOnExit,omitempty"`
	NotifyOnExitEmptySuccess *bool  `json:"notifyOnExitEmptySuccess,omitempty"`
	TimeoutSec               *int64 `json:"timeoutSec,omitempty"`
}

// Writes is what of tools.write a kernel can hold for a command.
type Writes struct {
	// Under are the directories, with everything below, and the files to which the command may
	// write, by absolute paths without links. An empty list permits none.
	Under []string `json:"under"`
	// Inexact are the patterns of tools.write that this does not express: of an allow list, they
	// are left out; of a deny list, they are not held.
	Inexact []string `json:"inexact"`
}

// Sandbox is a sandbox as the policy configures it; a member that it does not configure is
// empty.
type Sandbox struct {
	Backend         string `json:"backend,omitempty"`         // docker, ssh or openShell
	Scope           string `json:"scope,omitempty"`           // session, agent or shared
	WorkspaceAccess string `json:"workspaceAccess,omitempty"` // none, ro or rw
	// Root is the only directory that the sandbox may see, if WorkspaceAccess is none.
	Root string `json:"root,omitempty"`
}

// Web is what a PEP must keep to when it opens the URL of a call. A name may resolve to another
// address later, and a page may redirect; with these limits, both stay inside the decision.
type Web struct {
	// Dial are the networks that the tool may connect to. The first that contains an address
	// counts; an address in none of them is refused.
	Dial []Dial `json:"dial"`
	// Redirects is decide (each target of a redirect is a new call to decide) or none (redirects
	// are not followed).
	Redirects string `json:"redirects"`
	// MaxResponseBytes is the largest response to read.
	MaxResponseBytes int `json:"maxResponseBytes"`
}

// Dial says whether a tool may connect to the addresses of a network.
type Dial struct {
	Network string `json:"network"` // such as 10.0.0.0/8
	Allow   bool   `json:"allow"`
}

// Offer is what allow-always would add to the allowlist: Patterns for all segments, or none,
// and then Refused says why. Templates are narrower than the patterns.
type Offer struct {
	Patterns  []OfferedPattern `json:"patterns"`
	Templates []Template       `json:"templates"`
	Refused   []Reason         `json:"refused"`
	// Exact is true if exactly this command could be allowed permanently, with its directory
	// and the contents of its files.
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

// Only has the limits of an entry that an answer added (R40). Any other segment or command is
// a miss.
type Only struct {
	// Form is command (exactly the command with the hash Command), words (exactly these words
	// after the program, in this directory) or operands (other plain operands are allowed).
	Form string `json:"form"`
	// Command is the hash of the whole command: the binding without the session.
	Command string   `json:"command,omitempty"`
	Argv    []string `json:"argv,omitempty"`    // the words after the program
	Cwd     string   `json:"cwd,omitempty"`     // where it runs
	Targets []string `json:"targets,omitempty"` // files that hazards name, by their real paths, in order
	// SubCommand, Options (words with a dash) and Words (operands that are not plain) are the
	// permitted ones.
	SubCommand string   `json:"subCommand,omitempty"`
	Options    []string `json:"options,omitempty"`
	Words      []string `json:"words,omitempty"`
	// SHA256 is the hash of the program's content, if users other than root can change it.
	SHA256 string `json:"sha256,omitempty"`
	// Secrets are digests of words that hold secrets, by position, such as argv/2. Such a
	// word is masked in the entry, and matches only by the digest. The approvals file creates
	// and compares them.
	Secrets map[string]string `json:"secrets,omitempty"`
}

// The forms of an entry that an answer added.
const (
	FormCommand  = "command"
	FormWords    = "words"
	FormOperands = "operands"
)

// Template describes an entry in words, for the operator who is asked.
type Template struct {
	Pattern string   `json:"pattern"`
	Argv    []string `json:"argv"`  // fixed words; "<args>" means any other plain words
	Flags   []string `json:"flags"` // permitted options
	Args    []string `json:"args"`  // as in OfferedPattern
	// Admits says what the template permits.
	Admits string `json:"admits"`
}

// ExecSegment is one segment, with its program by full path, and what permitted it:
// allowlist, safeBins, skills, full, or builtin for a shell builtin.
type ExecSegment struct {
	Argv []string `json:"argv"`
	By   string   `json:"by,omitempty"`
	// Dynamic lists the indexes in Argv of words that are produced at run time; Argv has
	// their source.
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
	// Comment is what people said with their answer, for the agent to read. It is sanitised.
	Comment string `json:"comment,omitempty"`
	// Grant proves the approval to a machine that runs the call elsewhere; only in an allow.
	Grant *Grant `json:"grant,omitempty"`
}

// Layer is one layer's verdict, for explanations.
type Layer struct {
	Layer    string `json:"layer"`
	Title    string `json:"title"`
	Required bool   `json:"required"`
	// Verdict is permit, deny or ask; "silent" if the layer neither permits nor objects, and
	// "not required" if it does not apply to this call.
	Verdict string   `json:"verdict"`
	Permit  bool     `json:"permit"`
	Reasons []Reason `json:"reasons"`
	// Duration is how long the layer's own rules took, in nanoseconds. Time that one layer
	// spends asking another, such as approvals asking exec, counts for the other, once.
	Duration time.Duration `json:"durationNs"`
}

// ToolReport is the answer to "what may this agent see?".
type ToolReport struct {
	Tools []ToolVerdict `json:"tools"`
	// Allowlists reports, step by step, the effect of lists that name only plugin tools or
	// entries that nothing provides.
	Allowlists []AllowlistResolution `json:"allowlists,omitempty"`
	Reasons    []Reason              `json:"reasons,omitempty"` // why no tool is visible
	Revision   string                `json:"revision"`
}

// ToolVerdict says whether one tool is visible, and which step decided.
type ToolVerdict struct {
	Name    string  `json:"name"`
	Visible bool    `json:"visible"`
	Step    string  `json:"step,omitempty"` // label of the step that removed it
	Reason  *Reason `json:"reason,omitempty"`
}

// AllowlistResolution is the effect of one step's allow list.
type AllowlistResolution struct {
	Step              string   `json:"step"`
	Source            Source   `json:"source"`
	Policy            []string `json:"policy"`            // the list in force; empty means no filter
	UnknownAllowlist  []string `json:"unknownAllowlist"`  // entries that match no present tool
	StrippedAllowlist bool     `json:"strippedAllowlist"` // the list named only plugin tools and was dropped
}
