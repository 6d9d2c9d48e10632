package programs

// Unpacks says how a program makes the files that an archive holds, in the directory where it runs.
type Unpacks struct {
	// With are options of which it needs one to do so; none means that it always does, but with one
	// of Unless.
	With   []string `yaml:"with" json:"with,omitempty"`
	Unless []string `yaml:"unless" json:"unless,omitempty"`
	// Archive are the options whose value is the archive; without any it is the first operand.
	// Endings are the endings of names that it adds if there is no such file.
	Archive []string `yaml:"archive" json:"archive,omitempty"`
	Endings []string `yaml:"endings" json:"endings,omitempty"`
	// Zip is true if it reads zip, and not tar. Patterns is true if it takes the archive for a pattern
	// of names, which it expands by itself.
	Zip      bool `yaml:"zip" json:"zip,omitempty"`
	Patterns bool `yaml:"patterns" json:"patterns,omitempty"`
	// Gzip and Bzip2 are options with which a tar is compressed so, and Packed those with which it is
	// compressed in another way; without one of them the file says how.
	Gzip   []string `yaml:"gzip" json:"gzip,omitempty"`
	Bzip2  []string `yaml:"bzip2" json:"bzip2,omitempty"`
	Packed []string `yaml:"packed" json:"packed,omitempty"`
	// Renames are options with which members get other names, or are made elsewhere.
	Renames []string `yaml:"renames" json:"renames,omitempty"`
	// Strip are options whose value is how many directories it takes off names, and Flat those with
	// which it takes off all of them.
	Strip []string `yaml:"strip" json:"strip,omitempty"`
	Flat  []string `yaml:"flat" json:"flat,omitempty"`
}
