package treescan

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

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
	// Repository is set if only what a repository may take in is read. Then git's own rules say what is
	// ignored.
	Repository *Repository
}

// Repository says which files of a working tree are read.
type Repository struct {
	Top string // the real path of the top of the working tree
	Own string // the name of the repository's own directories, which are left out
	// Tracked returns the names of the files that are left out because they are tracked, relative to Top.
	// It is called at most once for each search.
	Tracked func() map[string]bool
	// IgnoreFile is the path of the repository's own file of ignore rules, relative to Top, or "". The rules of
	// .gitignore come before them.
	IgnoreFile string
	// Patterns are those of files to read, relative to Top; if there are none, all are read.
	Patterns []string
}

// key returns a text that identifies the exclusions.
func (o *Exclusions) key() string {
	text := ""
	if o.Repository != nil {
		text = fmt.Sprintf("%q %q %q %q", o.Repository.Top, o.Repository.Own, o.Repository.IgnoreFile, o.Repository.Patterns)
	}
	return fmt.Sprintf("%s %t %t %v %v %q %q %q %t %t", text, o.Hidden, o.Ignored, o.Unhidden, o.Exceptions, o.OnlyFiles, o.Files, o.Directories, o.Unmatched, o.InsideDenied)
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
		mayMatchName(strings.ToLower(n.Pattern), strings.ToLower(entry.Name))
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
		if mayMatchName(pattern, name) {
			return false
		}
	}
	return o.Unmatched || matchesAny(o.Files, name)
}

// leavesOutDirectory reports whether a directory of this name is certainly left out.
func (o *Exclusions) leavesOutDirectory(name string) bool { return matchesAny(o.Directories, name) }

func matchesAny(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if matches(pattern, name) {
			return true
		}
	}
	return false
}

// isPlain reports whether every program reads a pattern alike: it is one name, with no wildcards other
// than * and ?, and no blanks other than spaces, which some programs remove.
func isPlain(pattern string) bool {
	return pattern != "" && !strings.ContainsAny(pattern, `/[]{}()!\|+@^`+"\x00") && !strings.Contains(pattern, "**") && !strings.ContainsFunc(pattern, isOddBlank)
}

func isOddBlank(r rune) bool {
	return r != ' ' && unicode.IsSpace(r) || unicode.IsControl(r) || r == utf8.RuneError || r == '\ufeff'
}

// matches reports whether a pattern certainly matches a name.
func matches(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return matched && err == nil && isPlain(pattern) && !dependsOnEncoding(pattern, name)
}

// mayMatchName reports whether a pattern may match a name.
func mayMatchName(pattern, name string) bool {
	return !isPlain(pattern) || dependsOnEncoding(pattern, name) || matches(pattern, name)
}

// dependsOnEncoding reports whether it is a matter of characters or bytes which names a pattern matches.
func dependsOnEncoding(pattern, name string) bool {
	return strings.Contains(pattern, "?") && strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf })
}
