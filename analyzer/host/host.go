// Package host looks up programs, files and directories for one call: on this machine ([Local]),
// or in what a trusted gateway claims about another one ([Claim]). Paths and names go in; real
// paths, kinds, hashes and contents come out. What cannot be looked up does not exist. The package
// judges nothing and writes nothing.
//
// host.go has the interface [Host] and its types. [Limited] (limited.go, budget.go) caches the
// lookups of one call and bounds their number, so that a path means the same throughout an
// analysis. claimed.go answers from claims. The other implementation is this machine: local.go
// caches hashes and missing names between calls, walk.go follows links as the kernel does,
// resolve.go resolves paths, local_search.go searches PATH, local_program.go and local_entries.go
// read programs and directories, hash.go hashes files, and status.go examines them. paths.go and
// name_matching.go compare paths as text.
package host

// Host looks up programs on one machine. Implementations are safe for concurrent use. What cannot
// be looked up does not exist.
type Host interface {
	// Named searches a search path for a name without a slash, as a shell does. The first
	// executable regular file wins. An empty or relative entry ends the search without a result,
	// and so does an entry that cannot be read: the user who runs the command would look there, and
	// might find something else.
	Named(name string, searchPath []string) (Program, bool)
	// Absent reports whether certainly no directory of a search path contains the name. An entry
	// that is empty, relative or unreadable may contain it.
	Absent(name string, searchPath []string) bool
	// At returns the program at an absolute path, which may contain "." and "..".
	At(absolute string) (Program, bool)
	// Script returns the file at an absolute path. It must be a readable regular file, but need
	// not be executable.
	Script(absolute string) (Script, bool)
	// Resolve follows every symbolic link of an absolute path and returns where the file is or
	// would be created. It is not ok if that is uncertain; then real is the path up to which links
	// were followed, or "".
	Resolve(absolute string) (real string, ok bool)
	// Kind returns what is at an absolute path, behind all symbolic links.
	Kind(absolute string) Kind
	// File returns the size in bytes of the regular file at a real path, and how many names it
	// has. It is not ok for anything else.
	File(real string) (size int64, names int, ok bool)
	// List returns the sorted names in a directory. It is not ok if there are too many, or if the
	// directory cannot be read.
	List(dir string) (names []string, ok bool)
	// Entries returns what is in the directory at a real path, in no order, up to a number of
	// entries. It is not ok if the directory cannot be read.
	Entries(dir string, limit int) (list []Entry, ok bool)
	// Text returns the beginning of the regular file at an absolute path. It is not ok if the file
	// cannot be read.
	Text(absolute string, limit int) (text string, ok bool)
	// Program returns the hash of the program at a real path ("" if it is too large or
	// unreadable), and its interpreter if it is a text file.
	Program(real string) (sha256, interpreter string)
	// View returns the host as one analysis sees it. It does not look up the same thing twice. A
	// view must not be used concurrently. A host that keeps no state returns itself.
	View() Host
}

// Kind is what is at a path. The zero value means that it is unknown.
type Kind int

// The values of Kind.
const (
	KindUnknown Kind = iota
	KindMissing
	KindDirectory
	KindFile // or a device, a pipe, a socket
)

// Entry is a name in a directory, and what it is.
type Entry struct {
	Name string
	Kind Kind // of a link it is unknown
	Link bool // it is a symbolic link
}

// Program is an executable regular file. All its paths are absolute and clean.
type Program struct {
	Path string // where it was found
	Real string // the same with every symbolic link resolved
	// Link is the location of the symbolic link, if Path is one: Path with the links in its
	// directories resolved. LinkWritable is Writable for every link between it and the file, and
	// for the file.
	Link         string
	LinkWritable []string
	// LinkOfRoot is as in [gavel.Executable].
	LinkOfRoot bool
	// Device, Inode and Writable are as in [gavel.Executable].
	Device   string
	Inode    string
	Writable []string
}

// Script is a file of commands that a program runs.
type Script struct {
	Program
	// SHA256 is as in [gavel.Script].
	SHA256 string
}
