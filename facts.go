package gavel

// Facts is what the analyzer observed about a call: things that a witness could
// confirm, and no verdict. It is exactly the `input` of the Rego modules.
//
// Every member is present, so that a rule can tell "no" from "not observed":
// rules read a missing fact as whatever permits least.
//
// These structs, here and in the other files named *facts.go, are the one table of facts. make
// generate makes the rest from it: the input and its digest in bundles, rego/schema/facts.json
// with the comments as descriptions, what every input must have (rego/gavel/catalog/facts), and
// the facts that the Rego tests start from. Tags say:
//
//	json:"name"       the member's name; a pointer is omitempty, and left out when nil
//	nil:"empty"       a nil list is an empty one; without it, nil is null: not looked up
//	enum:"a,b"        the values that a text may have
//	varies:"call"     differs from call to call; results of the policy are cached without it if
//	                  no rule looked at it (varying in bundles); the same applies to params and time
//	frozen:"context"  the frozen part depends on it (bundles, contextFields)
//	disclose:"call"   the call itself contains it, so that the caller may read it (Disclosed)
//	disclose:"parts"  the caller may read some of its members; facts without this tag were looked up
type Facts struct {
	// Caller is the credential behind the call.
	Caller CallerFacts `json:"caller" disclose:"call"`
	// Stated says which facts were stated by a caller who may state them.
	Stated StatedFacts `json:"stated" frozen:"context" disclose:"call"`
	// Pause says whether the agent, or one of its ancestors, is paused.
	Pause   PauseFacts   `json:"pause" disclose:"call"`
	Agent   AgentFacts   `json:"agent" frozen:"context" disclose:"call"`
	Session SessionFacts `json:"session" disclose:"call"`
	// Message is the message whose directives are judged; empty for a call.
	Message MessageFacts `json:"message"`
	// SessionValues are what directives have set for the session.
	SessionValues SessionValuesFacts `json:"sessionValues"`
	Model         ModelFacts         `json:"model" frozen:"context" disclose:"call"`
	Sender        SenderFacts        `json:"sender" disclose:"call"`
	Group         GroupFacts         `json:"group" frozen:"context" disclose:"call"`
	Tool          ToolFacts          `json:"tool" disclose:"call"`
	// Plugins are the tools of each plugin, by its id.
	Plugins     map[string][]string `json:"plugins" frozen:"context" disclose:"call"`
	Environment EnvironmentFacts    `json:"environment"`
	// Process is the running session that a call of the tool process refers to.
	Process ProcessFacts `json:"process" disclose:"call"`
	// Host is what the program that runs the agent states about the call; empty if the call did not
	// come from a hook.
	Host HostFacts `json:"host"`
	// Resources are the files that a file tool would read or write.
	Resources []Resource `json:"resources" varies:"call" disclose:"parts"`
	// NamedFiles are the files that the parameters of any other tool name, such as the attachment
	// of a message.
	NamedFiles []NamedFile `json:"namedFiles" nil:"empty" disclose:"parts"`
	// URLs are what a web tool would open.
	URLs []WebURL `json:"urls" nil:"empty"`
	// Touches are the protected locations that the call names: Gavel's own files and
	// addresses, and files that control what agent hosts run. The list is empty only if that
	// is certain.
	Touches []Touch `json:"touches"`
	// Exceeded names the limits of the analysis that the call exceeded, sorted: lookups,
	// path, time. Anything beyond a limit was not examined.
	Exceeded []string `json:"exceeded" nil:"empty"`
	// Exec is set for the exec tool, and for a line that the tool process types into a shell
	// that waits for one.
	Exec *ExecFacts `json:"exec,omitempty" disclose:"parts"`
	// Credential is set for the tool credential. It describes a program that would run with credentials.
	Credential *CredentialFacts `json:"credential,omitempty"`
	// Time is when the call is decided. It is empty for a policy without Rego of its own.
	Time TimeFacts `json:"time" varies:"time"`
	// Approval is what is known about a person's answer. The analyzer leaves it,
	// ApprovalsFile, Verification and Pause empty; the decision point fills them in.
	Approval ApprovalFacts `json:"approval"`
	// ApprovalsFile is the content of the allowlist file.
	ApprovalsFile ApprovalsFileFacts `json:"approvalsFile"`
	// Verification is what verifiers answered about the call. The decision point fills it in after it
	// has asked them.
	Verification VerificationFacts `json:"verification"`
}

// CallerFacts is the credential behind a call. The zero value speaks for nobody.
type CallerFacts struct {
	Kind string `json:"kind"` // gateway or agent
	Name string `json:"name"` // the name of the credential
	// Agents are the ids of the agents that the credential speaks for; * matches any characters.
	Agents []string `json:"agents" nil:"empty"`
	// Sessions are the beginnings of the session keys that the credential speaks for, in whole parts
	// separated by colons. An empty list means any key.
	Sessions []string `json:"sessions" nil:"empty"`
	// InSession is true if the call's session key begins with one of Sessions, or Sessions is
	// empty.
	InSession bool `json:"inSession"`
	// SessionAgent is the agent that the call's session key names, as in agent:<id>:…. It is "" if the
	// key names none, and ? if the name is blank.
	SessionAgent string `json:"sessionAgent"`
	// Claims are the claims that the credential may make about a call.
	Claims []string `json:"claims" nil:"empty"`
}

// StatedFacts says which facts were stated, by the call or by a trusted session key. A fact
// that was not stated has its strictest value.
type StatedFacts struct {
	Model     bool `json:"model"`
	Group     bool `json:"group"` // true as well if the call states that there is no group
	Depth     bool `json:"depth"`
	Sandboxed bool `json:"sandboxed"`
	Sender    bool `json:"sender"`
	// ByGateway is true if a gateway makes the call. An agent may leave a fact out on purpose.
	ByGateway bool `json:"byGateway"`
}

// PauseFacts says whether the agent, or one of its ancestors, is paused. State is "" if none
// is, paused, or unknown.
type PauseFacts struct {
	State string `json:"state"`
	Agent string `json:"agent"` // the one that is paused
	Until string `json:"until"` // RFC 3339; "" if the pause lasts until it is ended
	Why   string `json:"why"`
}

// AgentFacts is the agent, with gaps filled in from observation.
type AgentFacts struct {
	ID      string        `json:"id"`                  // trimmed, lower case
	Parents []ParentFacts `json:"parents" nil:"empty"` // nearest first
	Depth   int           `json:"depth"`               // the largest depth that the call, the parents or the session key shows
	// MaxDepth is the depth at which agents may spawn no others, as the call states it, or 0.
	MaxDepth  int  `json:"maxDepth"`
	Sandboxed bool `json:"sandboxed"` // as the call states it; the configuration may require a sandbox as well
}

// ParentFacts is one ancestor and the depth at which it runs.
type ParentFacts struct {
	ID    string `json:"id"`
	Depth int    `json:"depth"`
}

// SessionFacts is the session's own settings, trimmed and lower case.
type SessionFacts struct {
	Key      string           `json:"key" varies:"call"`
	Exec     SessionExecFacts `json:"exec"`
	Elevated string           `json:"elevated"` // the level that is set for the session
	Inline   string           `json:"inline"`   // the level that the current message sets
}

// SessionExecFacts is what /exec set for the session; "" means not set.
type SessionExecFacts struct {
	Security string `json:"security"`
	Ask      string `json:"ask"`
	Host     string `json:"host"`
	Node     string `json:"node"`
}

// SessionValuesFacts is what directives have set and Gavel has stored. State is "" if nothing
// is stored for any session, read if it was read, and unknown if it cannot be read.
type SessionValuesFacts struct {
	State string `json:"state"`
	// Own is what is stored for the session of the call.
	Own StoredValues `json:"own"`
	// Others are what is stored for sessions that the call may belong to, or come from: those
	// of the agent if the caller could have chosen any session key, and the values of its ancestors.
	Others []StoredValues `json:"others" nil:"empty"`
}

// StoredValues are the values of one session; "" means not set.
type StoredValues struct {
	Security string `json:"security"`
	Ask      string `json:"ask"`
	Host     string `json:"host"`
	Node     string `json:"node"`
	Elevated string `json:"elevated"`
}

// ModelFacts is the model, trimmed and lower case.
type ModelFacts struct {
	Provider string `json:"provider"`
	ID       string `json:"id"`
}

// SenderFacts is the sender's identity tokens: trimmed, lower case, and without the leading @ that
// some channels write. "" is a token that is unknown or cannot be read; it matches no one. Owner
// is true only if a trusted gateway says so.
type SenderFacts struct {
	Channel string `json:"channel"`
	ID      string `json:"id"`
	// Also lists other spellings of ID, such as the telephone number of a WhatsApp id.
	Also     []string `json:"also" nil:"empty"`
	Name     string   `json:"name"`
	Username string   `json:"username"`
	Tag      string   `json:"tag"`
	From     string   `json:"from"`
	E164     string   `json:"e164"` // + and digits
	Owner    bool     `json:"owner"`
}

// GroupFacts is the conversation, with the ids by which the configuration may name it, most
// specific first.
type GroupFacts struct {
	Channel string   `json:"channel"`
	Account string   `json:"account"`
	IDs     []string `json:"ids" nil:"empty"`
}

// ToolFacts is the tool under its normalised name.
type ToolFacts struct {
	Name   string `json:"name"`                // normalised: trimmed, lower case, aliases resolved
	Given  string `json:"given" varies:"call"` // as the gateway wrote it
	Plugin string `json:"plugin"`              // trimmed, lower case
	// Params are the parameters of the call, unchanged.
	Params map[string]any `json:"params" varies:"params"`
	// Parameters are the names in Params, sorted, for a file tool or a web tool; empty for others.
	Parameters []string `json:"parameters" nil:"empty"`
	// Action is the parameter action of a web tool that has several actions, in lower case; "" for none.
	Action string `json:"action"`
	// Spawns is the agent that the call would spawn, trimmed, lower case: "" if it names none, and ?
	// if the name cannot be read.
	Spawns string `json:"spawns"`
	// Odd lists, sorted, what other programs may read differently in a file tool's parameters, and
	// what Gavel did not read. It is empty for most calls.
	Odd []string `json:"odd" nil:"empty"`
	// Unread says why a host's parameters could not be read; "" if they could.
	Unread string `json:"unread"`
	// Misfits are the parameters that exec or process does not have, or that have the wrong
	// type, sorted by name; empty for other tools.
	Misfits []Misfit `json:"misfits" nil:"empty"`
}

// Misfit is a parameter that a tool cannot take.
type Misfit struct {
	Name string `json:"name"`
	// Wants describes the type that the parameter must have; "" if the tool has no such parameter.
	Wants string `json:"wants"`
	// Nearest is the parameter with the most similar name, for an unknown one; "" if there is none.
	Nearest string `json:"nearest"`
}

// HostFacts is what the program that runs the agent states about the call.
type HostFacts struct {
	Name  string `json:"name"`  // such as claude-code
	Event string `json:"event"` // the name of the hook event, as the host spells it
	Mode  string `json:"mode"`  // the host's permission mode, as the host spells it
	// Unsandboxed is true if the call asks to run outside the host's own sandbox.
	Unsandboxed bool `json:"unsandboxed"`
	// Probe is true if the call only tests whether the hook works. It is denied.
	Probe bool `json:"probe"`
}

// EnvironmentFacts says where the call would run.
type EnvironmentFacts struct {
	Cwd      string `json:"cwd"`
	Home     string `json:"home"`
	Platform string `json:"platform"`
	// Workspace is the directory that a call may treat as its own, by its real path: the narrower of
	// the gateway's and the configuration's, or Cwd if neither is set. It is "" if it is unknown, or
	// if neither of the two is inside the other. It is never the root.
	Workspace string `json:"workspace"`
	// Claimed is true if a trusted gateway stated which executables exist, and false if they were
	// looked up on this machine.
	Claimed bool `json:"claimed"`
	// SandboxRoot is the directory of the agent's sandbox, as the gateway states it: "" if it
	// does not, and ? if it is not absolute.
	SandboxRoot string `json:"sandboxRoot"`
	// PathPrepend are the directories in which programs were looked up before the search
	// path, in order, as the policy configured them for this call.
	PathPrepend []string `json:"pathPrepend" nil:"empty"`
}

// ProcessFacts is a running session, and what a call of the tool process does with it. It is empty
// for other tools.
type ProcessFacts struct {
	Action  string `json:"action"`  // in lower case
	Session string `json:"session"` // the id that the call names
	// Input says what the call sends to the program: none, nothing; line, one line of printable
	// characters with its line feed; text, any other text; keys, only key presses.
	Input string   `json:"input"`
	Keys  []string `json:"keys" nil:"empty"` // the keys that the call presses, if it sends nothing else
	// Stated is true if the gateway says what the session is. The members below are empty
	// otherwise.
	Stated bool   `json:"stated"`
	Agent  string `json:"agent"` // the agent that started it, trimmed, lower case
	Host   string `json:"host"`
	Node   string `json:"node"`
	// Program is the absolute path of the program that reads the input. Shell is its name, if it is a
	// shell whose grammar is known.
	Program string `json:"program"`
	Shell   string `json:"shell"`
	Waiting bool   `json:"waiting"` // the program waits for a new line, and nothing has been typed
}
