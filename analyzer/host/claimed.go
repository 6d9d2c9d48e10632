package host

import (
	"path"
	"strings"

	"gavel/analyzer/spelling"
)

// Claimed is what a trusted gateway claims about its machine: names and absolute paths, each with the
// absolute path of the program behind it. What it does not list does not exist; neither does a
// program at a path that is relative or not clean. Nothing is looked up on this machine.
//
// The gateway decides where a name was found, because it looked it up with the PATH that the
// command gets. Contradictory claims match no program.
type Claimed struct {
	programs    map[string]string
	searchFirst []string // directories at the beginning of PATH
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
	if spelling.Base(program) == "" || !isClean(program) || c.isContradicted(name, program) {
		return Program{}, false
	}
	real, listed := c.programs[program]
	if !listed {
		real = program
	}
	return claimedProgram(program, real)
}

// claimedProgram returns the program at a clean path. The path is a link if its real path differs.
func claimedProgram(clean, real string) (Program, bool) {
	program := Program{Path: clean, Real: real}
	if real != clean {
		program.Link = clean
	}
	return program, isClean(real)
}

// Absent implements [Host]. It is false if any listed program has the name, in whatever directory.
func (c Claimed) Absent(name string, _ []string) bool {
	for claimed, program := range c.programs {
		if path.Base(claimed) == name || path.Base(program) == name {
			return false
		}
	}
	return true
}

// At implements [Host]. It finds only paths that the gateway lists, as links or as programs.
func (c Claimed) At(absolute string) (Program, bool) {
	clean, ok := filePath(absolute)
	if !ok {
		return Program{}, false
	}
	real, listed := c.programs[clean]
	if !listed {
		if !c.isProgram(clean) {
			return Program{}, false
		}
		real = clean
	}
	return claimedProgram(clean, real)
}

// isContradicted reports whether one of the directories that are searched first has a program of this
// name other than the claimed one, or may have one because it is not an absolute path.
func (c Claimed) isContradicted(name, program string) bool {
	for _, dir := range c.searchFirst {
		if !path.IsAbs(dir) {
			return true
		}
		candidate := path.Join(dir, name)
		if candidate == program {
			return false
		}
		if _, found := c.At(candidate); found {
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

// isProgram reports whether a path is the program behind some name.
func (c Claimed) isProgram(absolute string) bool {
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
	if !path.IsAbs(absolute) {
		return "", false
	}
	if PerProcess(absolute) {
		return absolute, false
	}
	if Climbs(absolute) {
		return "", false
	}
	return path.Clean(absolute), true
}
