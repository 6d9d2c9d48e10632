package host

import (
	"path"
	"strings"

	"gavel/analyzer/spelling"
)

// Claimed is what a trusted gateway says about its machine: a name or an absolute path, and the
// absolute path of the program behind it. What it does not list does not exist; neither does a
// program at a path that is relative or not clean. Nothing is looked up on this machine.
//
// The gateway decides where a name was found, because it looked it up with the PATH that the
// command gets. Claims that contradict one another name nothing.
type Claimed struct {
	programs map[string]string
	first    []string // directories at the beginning of PATH
}

// Claim returns the host that a gateway claims. programs maps each name, and each path that is a
// link, to the absolute path of the program behind it.
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

// claimed returns a program at a path. The path is a link if the file is a different one.
func claimed(clean, real string) (Program, bool) {
	program := Program{Path: clean, Real: real}
	if real != clean {
		program.Link = clean
	}
	return program, cleaned(real)
}

// Absent is false if anything goes by the name, in whatever directory it is.
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

// contradicted reports whether one of the first directories has another program of this name than
// the claimed one, or may have one because the directory is unknown.
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

// Script finds only what the gateway lists as a program. The gateway claims nothing about other
// files.
func (c Claimed) Script(absolute string) (Script, bool) {
	program, found := c.At(absolute)
	return Script{Program: program}, found
}

// List claims nothing about directories.
func (c Claimed) List(string) ([]string, bool) { return nil, false }

// Entries claims nothing about directories.
func (c Claimed) Entries(string, int) ([]Entry, bool) { return nil, false }

// Text claims nothing about the contents of a file.
func (c Claimed) Text(string, int) (string, bool) { return "", false }

// Program claims nothing about the contents of a file.
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

// Kind is unknown for files on another machine.
func (c Claimed) Kind(string) Kind { return KindUnknown }

// File claims nothing about files on another machine.
func (c Claimed) File(string) (size int64, names int, ok bool) { return 0, 0, false }

// Resolve cannot follow links on another machine: a path is taken literally, and one with ".." is
// unknown.
func (c Claimed) Resolve(absolute string) (string, bool) {
	if !path.IsAbs(absolute) || OfProcess(absolute) {
		return "", false
	}
	if Climbs(absolute) {
		return "", false
	}
	return path.Clean(absolute), true
}
