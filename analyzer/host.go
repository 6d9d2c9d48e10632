package analyzer

import (
	"path"
	"strings"
)

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

// claimedHost is what a trusted gateway says about its machine: a name, or an
// absolute path, and the absolute path of the program behind it. What it does
// not list does not exist, and neither does a program at a path that is not
// absolute and clean. Nothing is looked up on this machine.
//
// Where a name was found is the gateway's to say: it looked with the PATH that the
// command gets. Claims that contradict one another name nothing.
type claimedHost struct {
	programs map[string]string
	first    []string // directories that PATH begins with
}

func (c claimedHost) Named(name string, _ []string) (Program, bool) {
	if strings.Contains(name, "/") {
		return Program{}, false
	}
	program := c.programs[name]
	if baseName(program) == "" || !cleaned(program) || c.contradicted(name, program) {
		return Program{}, false
	}
	real, listed := c.programs[program]
	if !listed {
		real = program
	}
	return claimed(program, real)
}

// claimed is a program at a path, which is a link where the file is another one.
func claimed(clean, real string) (Program, bool) {
	program := Program{Path: clean, Real: real}
	if real != clean {
		program.Link = clean
	}
	return program, cleaned(real)
}

// Absent is false of whatever goes by the name, wherever it stands.
func (c claimedHost) Absent(name string, _ []string) bool {
	for claimed, program := range c.programs {
		if path.Base(claimed) == name || path.Base(program) == name {
			return false
		}
	}
	return true
}

func (c claimedHost) At(absolute string) (Program, bool) {
	clean, ok := filePath(absolute)
	if !ok {
		return Program{}, false
	}
	real, listed := c.programs[clean]
	if !listed {
		if !c.names(clean) {
			return Program{}, false
		}
		real = clean
	}
	return claimed(clean, real)
}

// contradicted reports whether a program stands in one of the first directories that
// goes by the name and is not the one which the name is said to be, or whether that
// cannot be told because a directory is not known.
func (c claimedHost) contradicted(name, program string) bool {
	for _, dir := range c.first {
		if !path.IsAbs(dir) {
			return true
		}
		at := path.Join(dir, name)
		if at == program {
			return false
		}
		if _, found := c.At(at); found {
			return true
		}
	}
	return false
}

// cleaned reports whether a path is absolute and clean.
func cleaned(p string) bool {
	if !path.IsAbs(p) {
		return false
	}
	plain := !strings.Contains(p, "/.") && !strings.Contains(p, "//") && !strings.HasSuffix(p, "/")
	return plain || path.Clean(p) == p
}

// Script finds what the gateway lists as a program: it claims nothing about files,
// and its list is all that exists.
func (c claimedHost) Script(absolute string) (Script, bool) {
	program, found := c.At(absolute)
	return Script{Program: program}, found
}

// List claims nothing about directories.
func (c claimedHost) List(string) ([]string, bool) { return nil, false }

// Program claims nothing about what is in a file.
func (c claimedHost) Program(string) (sha256, interpreter string) { return "", "" }

// View implements [Host].
func (c claimedHost) View() Host { return c }

// filePath cleans an absolute path that can be a file's: one that ends in a
// slash or in dots is a directory's.
func filePath(absolute string) (string, bool) {
	switch baseName(absolute) {
	case "", ".", "..":
		return "", false
	default:
		return path.Clean(absolute), path.IsAbs(absolute)
	}
}

// names reports whether a path is the program behind some name.
func (c claimedHost) names(absolute string) bool {
	for _, program := range c.programs {
		if program == absolute {
			return true
		}
	}
	return false
}
