package gavel

// CredentialFacts is a program that would run with credentials for an agent that must not see
// them, as the credential daemon describes it in the parameters of the call.
type CredentialFacts struct {
	// Complete is true if the daemon's description has every member and no others.
	Complete bool   `json:"complete"`
	Tool     string `json:"tool"`   // the name of the tool in wrappers.yaml
	Binary   string `json:"binary"` // the program, absolute
	UID      int    `json:"uid"`    // the id of the user who asks
	Caller   string `json:"caller"` // the executable that asks; "unverified" if it cannot be examined
	// Env lists the names of the variables that the request sets, sorted. Those that the daemon
	// leaves out are only in the parameters.
	Env []string `json:"env" nil:"empty"`
	// Credentials are the names of the credentials that the program gets.
	Credentials []string `json:"credentials" nil:"empty"`
	Args        []string `json:"args" nil:"empty"` // the arguments, as given
	// Leading are the arguments before the first one that begins with a dash.
	Leading []string `json:"leading" nil:"empty"`
	// Words are all texts that the program may read an argument as: the arguments as given and, for
	// each option, its names and its value, apart and joined, however it is written.
	Words []string `json:"words" nil:"empty"`
	// Lines are all command lines that the program may read the arguments as: as given, without --,
	// without options, and with abbreviated options written out.
	Lines []string `json:"lines" nil:"empty"`
	// Quoted is the command as given. Each argument that is empty or has a blank or a quote is in
	// single quotes, so that no argument looks like two.
	Quoted string `json:"quoted"`
	// Unlisted are the names of long options that the program's grammar does not list, so they may be
	// abbreviations.
	Unlisted []string `json:"unlisted" nil:"empty"`
	// Commands, CommandsKnown and Options are as in a segment. The index of an argument is one more
	// than its index in Args.
	Commands      []string      `json:"commands" nil:"empty"`
	CommandsKnown string        `json:"commandsKnown"`
	Options       []GivenOption `json:"options" nil:"empty"`
	// Allowlist is true if only what Allowed matches may run. Blocked and Allowed are the rules of
	// wrappers.yaml.
	Allowlist bool             `json:"allowlist"`
	Blocked   []CredentialRule `json:"blocked" nil:"empty"`
	Allowed   []CredentialRule `json:"allowed" nil:"empty"`
}

// CredentialRule is a rule of wrappers.yaml about the arguments of a tool.
type CredentialRule struct {
	Match   string   `json:"match"` // arg, command or argv
	Pattern string   `json:"pattern"`
	Argv    []string `json:"argv" nil:"empty"` // patterns, one for each argument
	Message string   `json:"message"`
	// Options are the long options that the pattern names, such as --force, in lower case.
	Options []string `json:"options" nil:"empty"`
}
