package treescan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// Exclusions says what a program leaves out of a directory that it reads recursively. The zero value
// leaves out nothing.
type Exclusions struct {
	Hidden  bool // names that begin with a dot, unless they match Unhidden or Exceptions
	Ignored bool // what git ignores, unless it matches Exceptions
	// Unhidden matches hidden names that the program reads anyway, and Exceptions hidden and ignored ones.
	Unhidden, Exceptions []NamePattern
	// OnlyFiles are name patterns of the only files that are read, Files those of files that are left out,
	// and Directories those of directories that are left out. A file that matches both of the first two
	// is read.
	OnlyFiles, Files, Directories []string
	// Unmatched is true if files that match neither OnlyFiles nor Files are left out.
	Unmatched bool
	// InsideDenied is true if directories that are denied as a whole are searched, too.
	InsideDenied bool
}

// key returns a text that identifies the exclusions.
func (o *Exclusions) key() string {
	return fmt.Sprintf("%t %t %v %v %q %q %q %t %t", o.Hidden, o.Ignored, o.Unhidden, o.Exceptions, o.OnlyFiles, o.Files, o.Directories, o.Unmatched, o.InsideDenied)
}

// NamePattern is a pattern of file names.
type NamePattern struct {
	Pattern   string // of one name; one that is not plain may match any name
	Under     string // it matches only below a directory of this name; "" is any
	Directory bool   // it matches directories only
}

// ParsePattern reads a pattern in the syntax of .gitignore. A slash in the middle ties it to a directory.
func ParsePattern(pattern string) NamePattern {
	var n NamePattern
	pattern, n.Directory = strings.CutSuffix(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if first, _, inside := strings.Cut(pattern, "/"); inside && isPlain(first) && !strings.ContainsAny(first, "*?") {
		n.Under = first
	}
	n.Pattern = pattern[strings.LastIndexByte(pattern, '/')+1:]
	if n.Pattern == "**" {
		n.Pattern = "*"
	}
	return n
}

// mayMatch reports whether the pattern may match an entry. Case is ignored, because an option of the
// program may ignore it.
func (n NamePattern) mayMatch(file string, entry host.Entry) bool {
	return (!n.Directory || entry.Kind == host.KindDirectory) && (n.Under == "" || strings.Contains(strings.ToLower(file), "/"+strings.ToLower(n.Under)+"/")) &&
		(!isPlain(n.Pattern) || matches(strings.ToLower(n.Pattern), strings.ToLower(entry.Name)))
}

func mayMatchAny(list []NamePattern, file string, entry host.Entry) bool {
	return slices.ContainsFunc(list, func(n NamePattern) bool { return n.mayMatch(file, entry) })
}

// leavesOutHidden reports whether an entry is certainly left out because its name begins with a dot.
func (o *Exclusions) leavesOutHidden(file string, entry host.Entry) bool {
	return o.Hidden && strings.HasPrefix(entry.Name, ".") && !mayMatchAny(o.Unhidden, file, entry) && !mayMatchAny(o.Exceptions, file, entry)
}

// leavesOutFile reports whether a file of this name is certainly left out.
func (o *Exclusions) leavesOutFile(name string) bool {
	for _, pattern := range o.OnlyFiles {
		if !isPlain(pattern) || matches(pattern, name) {
			return false
		}
	}
	return o.Unmatched || matchesAny(o.Files, name)
}

// leavesOutDirectory reports whether a directory of this name is certainly left out.
func (o *Exclusions) leavesOutDirectory(name string) bool { return matchesAny(o.Directories, name) }

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if isPlain(pattern) && matches(pattern, name) {
			return true
		}
	}
	return false
}

// isPlain reports whether every program reads a pattern alike: it is one name, with no wildcards other
// than * and ?.
func isPlain(pattern string) bool {
	return pattern != "" && !strings.ContainsAny(pattern, `/[]{}()!\|+@^`+"\x00") && !strings.Contains(pattern, "**")
}

func matches(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return matched && err == nil
}
