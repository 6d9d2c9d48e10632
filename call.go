package gavel

// Call is one tool invocation that an agent wants to make, as the gateway
// describes it. It is the body of POST /v1/decisions and one line of
// `gavel decide`. Reading it is strict: unknown and duplicate keys are errors.
type Call struct {
	// ID is the caller's own id for this call; it is echoed and never judged.
	ID          string       `json:"id,omitempty"`
	Agent       Agent        `json:"agent"`
	Session     Session      `json:"session,omitzero"`
	Model       Model        `json:"model,omitzero"`
	Sender      *Sender      `json:"sender,omitempty"`
	Group       Group        `json:"group,omitzero"`
	Message     Message      `json:"message,omitzero"`
	Tool        Tool         `json:"tool,omitzero"`
	Environment *Environment `json:"environment,omitempty"`
	Host        Host         `json:"host,omitzero"`

	// Caller is the credential behind the call. It is never read from a document: the code
	// that receives a call from outside sets it. Nil means the person or program that runs
	// Gavel itself, who is trusted like a gateway.
	Caller *CallerFacts `json:"-"`
}

// Agent is the agent that wants to make the call.
type Agent struct {
	ID string `json:"id"`
	// Parents is the chain that spawned this agent, nearest first. The agent
	// never has more rights than any of them.
	Parents []Parent `json:"parents,omitempty"`
	// Depth counts spawns: 0 is an orchestrator. Nil means "not stated"; then the parents and
	// the session key tell.
	Depth *int `json:"depth,omitempty"`
	// MaxDepth is the depth at which an agent is a leaf. Nil means "not stated".
	MaxDepth *int `json:"maxDepth,omitempty"`
	// Sandboxed says whether the agent runs in a sandbox. Nil means "not stated"; the
	// configuration may require a sandbox anyway.
	Sandboxed *bool `json:"sandboxed,omitempty"`
}

// Parent is one ancestor of an agent.
type Parent struct {
	ID string `json:"id"`
}

// Session is the session's stored settings for its calls.
type Session struct {
	Key      string      `json:"key,omitempty"`
	Exec     SessionExec `json:"exec,omitzero"`
	Elevated string      `json:"elevated,omitempty"`

	// Stored is what Gavel has stored for the session. It is never read from a document: the
	// decision point sets it. Nil means that nothing is stored for anybody.
	Stored *SessionValuesFacts `json:"-"`
}

// SessionExec holds the defaults that /exec set for a session.
type SessionExec struct {
	Security string `json:"security,omitempty"`
	Ask      string `json:"ask,omitempty"`
	Host     string `json:"host,omitempty"`
	Node     string `json:"node,omitempty"`
}

// Model is the language model behind the agent.
type Model struct {
	Provider string `json:"provider,omitempty"`
	ID       string `json:"id,omitempty"`
}

// Sender is the person whose message the agent is answering.
type Sender struct {
	Channel  string `json:"channel,omitempty"`
	ID       string `json:"id,omitempty"`
	Name     string `json:"name,omitempty"`
	Username string `json:"username,omitempty"`
	Tag      string `json:"tag,omitempty"`
	From     string `json:"from,omitempty"`
	E164     string `json:"e164,omitempty"`
	Owner    bool   `json:"owner,omitempty"`
}

// Group is the conversation that the message came from.
type Group struct {
	Channel string `json:"channel,omitempty"`
	Account string `json:"account,omitempty"`
	ID      string `json:"id,omitempty"`
}

// Message carries the settings of the current message only.
type Message struct {
	Inline Inline `json:"inline,omitzero"`
}

// Inline is a directive of the current message; it does not persist.
type Inline struct {
	Elevated string `json:"elevated,omitempty"`
}

// Tool names the tool and carries its parameters as they are.
type Tool struct {
	Name   string         `json:"name,omitempty"`
	Plugin string         `json:"plugin,omitempty"`
	Params map[string]any `json:"params,omitempty"`
	// Unread says why the parameters could not be read, for a tool whose parameters a host
	// sent in an unknown shape; "" if they could.
	Unread string `json:"unread,omitempty"`
}

// Host has what the program that runs the agent states about the call.
type Host struct {
	Name  string `json:"name,omitempty"`  // such as claude-code
	Event string `json:"event,omitempty"` // of the hook, as the host spells it
	// Mode is the host's permission mode, as it spells it, such as bypassPermissions.
	Mode string `json:"mode,omitempty"`
	// Unsandboxed is true if the call asks to run outside the host's own sandbox.
	Unsandboxed bool `json:"unsandboxed,omitempty"`
	// Probe is true if nobody makes the call: it is to show that the hook works, and is denied.
	Probe bool `json:"probe,omitempty"`
}

// Environment says where the call would run. Only a trusted gateway may send it.
type Environment struct {
	Cwd  string `json:"cwd,omitempty"`
	Home string `json:"home,omitempty"`
	// Workspace is the absolute directory that the agent may treat as its own. Without it,
	// the configured workspace applies, or else Cwd.
	Workspace string `json:"workspace,omitempty"`
	// SandboxRoot is the absolute directory of the agent's sandbox, by its real path. Without
	// it, that is ~/.openclaw/sandboxes/ID, with the id of the agent.
	SandboxRoot string   `json:"sandboxRoot,omitempty"`
	Path        []string `json:"path,omitzero"`
	Platform    string   `json:"platform,omitempty"`
	// Shell is what will run the text of exec; the default is bash.
	Shell string `json:"shell,omitempty"`
	// Executables, when not nil, replaces lookups on this machine: a name that
	// it does not list does not exist.
	Executables map[string]string `json:"executables,omitzero"`
	// Process is the running session that a call of the tool process is about.
	Process *Process `json:"process,omitempty"`
	// Skills are the programs that installed skills have registered, by the names under which they
	// are called. They count only from a gateway.
	Skills map[string]Skill `json:"skills,omitzero"`
	// Plugins maps a loaded plugin to the tools that it provides.
	Plugins map[string][]string `json:"plugins,omitzero"`
}

// Skill is the program that a skill has registered under a name.
type Skill struct {
	Skill   string `json:"skill"`   // the skill's own name
	Program string `json:"program"` // the absolute, real path of the program
	// SHA256 is the hash of the program as it was when the skill was installed, in lower-case hex.
	SHA256 string `json:"sha256"`
}

// Process is a session of the tool process, as the gateway knows it. What it leaves out is
// unknown, and then input for the session is asked about.
type Process struct {
	Session string `json:"session"`         // its id, as in the parameter sessionId
	Agent   string `json:"agent,omitempty"` // the agent that started it
	Host    string `json:"host,omitempty"`  // where it runs: sandbox, gateway or node
	Node    string `json:"node,omitempty"`
	// Program is the program that reads the input now, by its absolute, real path.
	Program string `json:"program,omitempty"`
	Cwd     string `json:"cwd,omitempty"` // the absolute working directory of Program
	// Waiting is true if Program waits for a new line, and nothing has been typed into it.
	Waiting bool `json:"waiting,omitempty"`
}
