// Package host looks up programs, files and directories for one call: on this machine
// ([Local]), or in what a trusted gateway claims about another one ([Claim]).
//
// What cannot be looked up does not exist. [Watch] bounds the lookups of one call and
// remembers what they found, so that a path means the same from the beginning of an
// analysis to its end. Nothing is judged here, and nothing is written.
package host

// Host looks up programs on one machine. Implementations are safe for
// concurrent use; what cannot be looked up does not exist.
type Host interface {
	// Named searches a path for a name without a slash, as a shell does. The
	// first executable regular file wins. An entry that is empty or relative ends
	// the search without a result, and so does one that may not be looked into: what
	// runs the command would look there, and might find something else than we do.
	Named(name string, searchPath []string) (Program, bool)
	// Absent reports whether no directory of a path has the name: one that is empty,
	// relative or cannot be looked into may have it.
	Absent(name string, searchPath []string) bool
	// At returns the program at an absolute path, which may hold "." and "..".
	At(absolute string) (Program, bool)
	// Script returns the file at an absolute path, which need not be executable but
	// must be a regular one that can be read.
	Script(absolute string) (Script, bool)
	// Resolve returns where the file of an absolute path is, or would be made, with
	// every symbolic link followed; not ok when that cannot be said for certain. real may
	// then be as far as it was followed.
	Resolve(absolute string) (real string, ok bool)
	// Kind says what is at an absolute path, behind every symbolic link.
	Kind(absolute string) Kind
	// List returns the names in a directory, sorted; not ok when there are too many of
	// them, or nobody can say.
	List(dir string) (names []string, ok bool)
	// Program returns the hash of the program at a real path, "" for one that is too
	// large or cannot be read, and what runs it when it is text.
	Program(real string) (sha256, interpreter string)
	// View returns the host as one analysis sees it: what a view saw, it need not look
	// at again. A view is for one goroutine. A host that keeps nothing returns itself.
	View() Host
}

// Kind is what is at a path. The zero value is for what cannot be said.
type Kind int

// What may be at a path.
const (
	KindUnknown Kind = iota
	KindMissing
	KindDirectory
	KindFile // or a device, a pipe, a socket
)

// Program is an executable regular file. All its paths are absolute and clean.
type Program struct {
	Path string // where it was found
	Real string // the same with every symbolic link resolved
	// Link is where the link stands that was named, when Path is one: Path with the
	// links to its directories resolved. LinkWritable is Writable of every link on the
	// way from it to the file, and of the file.
	Link         string
	LinkWritable []string
	// Device, Inode and Writable are as in [gavel.Executable].
	Device   string
	Inode    string
	Writable []string
}

// Script is a file of commands that a program is told to run.
type Script struct {
	Program
	// SHA256 is as in [gavel.Script].
	SHA256 string
}
