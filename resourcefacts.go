package gavel

// Resource is a file that a tool would read or write.
type Resource struct {
	Access string `json:"access" disclose:"call"` // read or write
	Given  string `json:"given" disclose:"call"`  // as the call names it
	Path   string `json:"path"`                   // absolute; "" when that is unknown
	Real   string `json:"real"`                   // the same with every symbolic link resolved; "" when not known
	// File is true if the tool uses nothing but this file. It is false if the tool reads a directory,
	// and so everything below it, or if the call says that the path is a directory.
	File bool `json:"file"`
	// Size is the number of bytes that a read returns, or the most that the file can have after a
	// write. It is known only if Sized is true.
	Size  int  `json:"size"`
	Sized bool `json:"sized"`
	// Names is the number of hard links to the file: 1 for a directory and for a file that does not
	// exist yet, and 0 if it is unknown. The other names of the file are unknown.
	Names int `json:"names"`
}

// NamedFile is a file that a parameter of a tool other than a file tool names.
type NamedFile struct {
	Access string `json:"access" disclose:"call"` // read for a tool that only reads such files, otherwise write
	Given  string `json:"given" disclose:"call"`  // as the call names it
	// Absolute is true if the text is certain to name a file of this machine, rather than one below a
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
	Port    string `json:"port"`    // in decimal; the default of the scheme if the URL has none
	// Userinfo is true if the URL has a user name or a password.
	Userinfo bool `json:"userinfo"`
	// Odd says why parsers may read the URL differently. If it is not "", Gavel did not read the URL.
	Odd string `json:"odd"`
}

// Touch is a protected location that a call names. rego/gavel/catalog/protected lists these locations.
type Touch struct {
	// Kind is one of state (Gavel's own files), policy, host (settings and hooks of a program that
	// runs agents), address (where Gavel listens) and metadata (where a cloud hands out
	// credentials).
	Kind string `json:"kind" enum:"state,policy,host,address,metadata"`
	// Access is one of read, write and connect. It is write for a program that is not known to change
	// nothing.
	Access string `json:"access" enum:"read,write,connect"`
	Given  string `json:"given"` // as the call names it
	Real   string `json:"real"`  // the real path of the file, whether or not it exists; or the address
	// Holds is true for a directory that contains the location.
	Holds bool `json:"holds"`
	// Program is the base name of the program that gets the location as an argument, with the
	// sub-command if that moves or removes directories; "" for tools other than exec.
	Program string `json:"program"`
}
