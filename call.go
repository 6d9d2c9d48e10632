package gavel

// Call is one tool invocation that an agent wants to make, as the gateway
// describes it. It is the body of POST /v1/decisions and one line of
// `gavel decide`. Reading it is strict: unknown and duplicate keys are errors.
type Call struct {
	// ID is the caller's own id for this call. The decision repeats it; no rule reads it.
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
	ID string `json:"id"` // by which the configuration names the agent
	// Parents is the chain that spawned this agent, nearest first. The agent
	// never has more rights than any of them.
	Parents []Parent `json:"parents,omitempty"`
	// Depth is how many agents spawned this one, one after another; 0 means none. Nil means
	// "not stated": the depth then follows from the parents and the session key.
	Depth *int `json:"depth,omitempty"`
	// MaxDepth is the depth at which an agent may spawn no others. Nil means "not stated".
	MaxDepth *int `json:"maxDepth,omitempty"`
	// Sandboxed is true if the agent runs in a sandbox. Nil means "not stated". The
	// configuration may require a sandbox anyway.
	Sandboxed *bool `json:"sandboxed,omitempty"`
}

// Parent is one ancestor of an agent.
type Parent struct {
	ID string `json:"id"`
}

// Session is the session of the call, with the settings that are stored for it.
type Session struct {
	Key      string      `json:"key,omitempty"` // such as agent:main:main
	Exec     SessionExec `json:"exec,omitzero"`
	Elevated string      `json:"elevated,omitempty"`

	// Stored is what Gavel has stored for the session. It is never read from a document: the
	// decision point sets it. Nil means that nothing is stored for anybody.
	Stored *SessionValuesFacts `json:"-"`
}

// SessionExec is what /exec set for the session.
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
	E164     string `json:"e164,omitempty"`  // a telephone number: + and digits
	Owner    bool   `json:"owner,omitempty"` // the agent belongs to the sender
}

// Group is the conversation that the message came from.
type Group struct {
	Channel string `json:"channel,omitempty"`
	Account string `json:"account,omitempty"`
	ID      string `json:"id,omitempty"`
}

// Message is the message that the agent is answering.
type Message struct {
	Inline Inline `json:"inline,omitzero"`
}

// Inline is what directives in the message set, for this message only.
type Inline struct {
	Elevated string `json:"elevated,omitempty"`
}

// Tool is the tool and its parameters.
type Tool struct {
	Name   string         `json:"name,omitempty"`
	Plugin string         `json:"plugin,omitempty"` // the id of the plugin that provides it
	Params map[string]any `json:"params,omitempty"` // as the agent wrote them
	// Unread says why the parameters could not be read, if a host sent them in an unknown
	// shape; "" if they could.
	Unread string `json:"unread,omitempty"`
}

// Host is what the program that runs the agent states about the call.
type Host struct {
	Name  string `json:"name,omitempty"`  // such as claude-code
	Event string `json:"event,omitempty"` // the name of the hook event, as the host spells it
	// Mode is the host's permission mode, as the host spells it, such as bypassPermissions.
	Mode string `json:"mode,omitempty"`
	// Unsandboxed is true if the call asks to run outside the host's own sandbox.
	Unsandboxed bool `json:"unsandboxed,omitempty"`
	// Probe is true if the call only tests whether the hook works. It is denied.
	Probe bool `json:"probe,omitempty"`
}

// Environment is where the call would run. It is a claim: only a gateway, or a token with this
// claim, may send it.
type Environment struct {
	Cwd  string `json:"cwd,omitempty"`  // the absolute working directory
	Home string `json:"home,omitempty"` // the absolute home directory
	// Workspace is the absolute directory that the agent may treat as its own. Without it,
	// the workspace is the configured one, or else Cwd.
	Workspace string `json:"workspace,omitempty"`
	// SandboxRoot is the absolute directory of the agent's sandbox, by its real path. The
	// default is ~/.openclaw/sandboxes/ and the id of the agent.
	SandboxRoot string   `json:"sandboxRoot,omitempty"`
	Path        []string `json:"path,omitzero"`      // the search path, without tools.exec.pathPrepend
	Platform    string   `json:"platform,omitempty"` // such as linux or darwin
	// Shell is the shell that will run the command of exec; the default is bash.
	Shell string `json:"shell,omitempty"`
	// Executables are the programs that exist: absolute paths by name. If it is present, nothing
	// is looked up on this machine.
	Executables map[string]string `json:"executables,omitzero"`
	// Process is the running session that a call of the tool process refers to.
	Process *Process `json:"process,omitempty"`
	// Skills are the programs that installed skills have registered, by the names by which they
	// are called. They count only if a gateway states them.
	Skills map[string]Skill `json:"skills,omitzero"`
	// Plugins are the tools that each loaded plugin provides, by its id.
	Plugins map[string][]string `json:"plugins,omitzero"`
}

// Skill is the program that a skill has registered under a name.
type Skill struct {
	Skill   string `json:"skill"`   // the skill's own name
	Program string `json:"program"` // the absolute, real path of the program
	// SHA256 is the hash of the program as it was when the skill was installed, in lower-case hex.
	SHA256 string `json:"sha256"`
}

// Process is a session of the tool process, as the gateway knows it. If a member is missing, a
// person is asked about input for the session.
type Process struct {
	Session string `json:"session"`         // its id, as in the parameter sessionId
	Agent   string `json:"agent,omitempty"` // the agent that started it
	Host    string `json:"host,omitempty"`  // where it runs: sandbox, gateway or node
	Node    string `json:"node,omitempty"`
	// Program is the absolute, real path of the program that reads the input now.
	Program string `json:"program,omitempty"`
	Cwd     string `json:"cwd,omitempty"` // the absolute working directory of the program
	// Waiting is true if the program waits for a new line and nothing has been typed yet.
	Waiting bool `json:"waiting,omitempty"`
}
