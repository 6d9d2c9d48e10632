package host

import (
	"path"
	"strings"

	"gavel/analyzer/spelling"
)

// Claimed is what a trusted gateway says about its machine: a name, or an
// absolute path, and the absolute path of the program behind it. What it does
// not list does not exist, and neither does a program at a path that is not
// absolute and clean. Nothing is looked up on this machine.
//
// Where a name was found is the gateway's to say: it looked with the PATH that the
// command gets. Claims that contradict one another name nothing.
type Claimed struct {
	programs map[string]string
	first    []string // directories that PATH begins with
}

// Claim returns the host that a gateway claims: for each name, and each path that is a link,
// the absolute path of the program behind it.
func Claim(programs map[string]string) Claimed { return Claimed{programs: programs} }

// Named implements [Host].
func (c Claimed) Named(name string, _ []string) (Program, bool) {
	if strings.Contains(name, "/") {
		return Program{}, false
	}
	program := c.programs[name]
	if spelling.Base(program) == "" || !cleaned(program) || c.contradicted(name, program) {
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
func (c Claimed) Absent(name string, _ []string) bool {
	for claimed, program := range c.programs {
		if path.Base(claimed) == name || path.Base(program) == name {
			return false
		}
	}
	return true
}

func (c Claimed) At(absolute string) (Program, bool) {
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
// is unclear because a directory is unknown.
func (c Claimed) contradicted(name, program string) bool {
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

// Script finds what the gateway lists as a program: it claims nothing about files,
// and its list is all that exists.
func (c Claimed) Script(absolute string) (Script, bool) {
	program, found := c.At(absolute)
	return Script{Program: program}, found
}

// List claims nothing about directories.
func (c Claimed) List(string) ([]string, bool) { return nil, false }

// Program claims nothing about what is in a file.
func (c Claimed) Program(string) (sha256, interpreter string) { return "", "" }

// View implements [Host].
func (c Claimed) View() Host { return c }

// names reports whether a path is the program behind some name.
func (c Claimed) names(absolute string) bool {
	for _, program := range c.programs {
		if program == absolute {
			return true
		}
	}
	return false
}

// Kind is unknown of the files of another machine.
func (c Claimed) Kind(string) Kind { return KindUnknown }

// Resolve knows nothing of the links on another machine: a path is what it says, and
// one with ".." is unknown.
func (c Claimed) Resolve(absolute string) (string, bool) {
	if !path.IsAbs(absolute) || OfProcess(absolute) {
		return "", false
	}
	if Climbs(absolute) {
		return "", false
	}
	return path.Clean(absolute), true
}
