package programs

// Unpacks says how a program extracts an archive into the directory where it runs.
type Unpacks struct {
	// With are options, one of which must be present; if there are none, the program always extracts,
	// except with one of Unless.
	With   []string `yaml:"with" json:"with,omitempty"`
	Unless []string `yaml:"unless" json:"unless,omitempty"`
	// Archive are the options whose value is the archive; if there are none, it is the first operand.
	// Endings are the file extensions that it tries if there is no such file.
	Archive []string `yaml:"archive" json:"archive,omitempty"`
	Endings []string `yaml:"endings" json:"endings,omitempty"`
	// Zip is true if it reads zip instead of tar. Patterns is true if it treats the name of the archive as
	// a glob, which it expands itself.
	Zip      bool `yaml:"zip" json:"zip,omitempty"`
	Patterns bool `yaml:"patterns" json:"patterns,omitempty"`
	// Gzip and Bzip2 are options that select this compression of a tar file, and Packed those that select
	// another one. Without any of them, the file itself determines the compression.
	Gzip   []string `yaml:"gzip" json:"gzip,omitempty"`
	Bzip2  []string `yaml:"bzip2" json:"bzip2,omitempty"`
	Packed []string `yaml:"packed" json:"packed,omitempty"`
	// Renames are options that give members other names or another directory.
	Renames []string `yaml:"renames" json:"renames,omitempty"`
	// Into are options whose value is the directory in which members are created. If IntoMayFollow is true, such an
	// option may come after the operands, too, as a word of its own.
	Into          []string `yaml:"into" json:"into,omitempty"`
	IntoMayFollow bool     `yaml:"into_may_follow" json:"intoMayFollow,omitempty"`
	// Strip are options whose value is the number of leading directories to remove from names, and Flat
	// those that remove all of them.
	Strip []string `yaml:"strip" json:"strip,omitempty"`
	Flat  []string `yaml:"flat" json:"flat,omitempty"`
}
