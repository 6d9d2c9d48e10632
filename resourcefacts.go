package gavel

// Resource is a file that a tool would read or write.
type Resource struct {
	Access string `json:"access" disclose:"call"` // read or write
	Given  string `json:"given" disclose:"call"`  // as the call names it
	Path   string `json:"path"`                   // absolute; "" when that is unknown
	Real   string `json:"real"`                   // the same with every symbolic link resolved; "" when not known
	// File is true if the tool uses nothing but this file. It is false for a read of a
	// directory, which is a read of everything below it, and if the call says that it is one.
	File bool `json:"file"`
	// Size is how many bytes a read returns, or the file has at most after a write. It is known
	// only if Sized is true.
	Size  int  `json:"size"`
	Sized bool `json:"sized"`
	// Names is how many names, hard links, the file has; 1 for one that does not exist yet and
	// for a directory, and 0 if it is unknown. What another name is in no path shows.
	Names int `json:"names"`
}

// NamedFile is a file that a parameter names, of a tool that is not a file tool.
type NamedFile struct {
	Access string `json:"access" disclose:"call"` // read for a tool that only reads such files, otherwise write
	Given  string `json:"given" disclose:"call"`  // as the call names it
	// Absolute is true if the text certainly names a file of this machine, and not one below a
	// directory of the tool's own.
	Absolute bool   `json:"absolute" disclose:"call"`
	Path     string `json:"path"` // absolute, without following links; "" when that is unknown
	Real     string `json:"real"` // the same with every symbolic link resolved; "" when not known
}

// WebURL is what a web tool would open. The text itself is among the tool's parameters.
type WebURL struct {
	Scheme string `json:"scheme"` // in lower case, such as https
	// Host is a name in lower case and ASCII, without a dot at the end, or an IP address in its
	// usual notation. "" if the text was not read.
	Host    string `json:"host"`
	Address string `json:"address"` // the host, if it is an IP address in any notation
	Port    string `json:"port"`    // in decimal; without one in the text, that of the scheme
	// Userinfo is true if the text has a user name or a password.
	Userinfo bool `json:"userinfo"`
	// Odd says why parsers may read the text differently; then it was not read.
	Odd string `json:"odd"`
}

// Touch is a protected location that a call names; rego/gavel/catalog/protected lists them.
type Touch struct {
	// Kind is state (Gavel's own files), policy, host (settings and hooks of a program that
	// runs agents), address (where Gavel listens) or metadata (where a cloud hands out
	// credentials).
	Kind string `json:"kind" enum:"state,policy,host,address,metadata"`
	// Access is read, write, or connect. For a program that is unknown to change nothing,
	// it is write.
	Access string `json:"access" enum:"read,write,connect"`
	Given  string `json:"given"` // as the call names it
	Real   string `json:"real"`  // the file by its real path, or as it would be; or the address
	// Holds is true for a directory that contains the location.
	Holds bool `json:"holds"`
	// Program is the base name of the program that receives it, with the sub-command if that
	// moves or removes directories; "" for other tools.
	Program string `json:"program"`
}
