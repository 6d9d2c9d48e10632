package below

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// Out says what a program leaves out of a directory that it reads. The zero value leaves out
// nothing.
type Out struct {
	Hidden  bool // what begins with a dot, unless it is in Shown or Kept
	Ignored bool // what git ignores, unless it is in Kept
	// Shown and Kept say what the program reads although its name begins with a dot, or git ignores it.
	Shown, Kept []Names
	// Only and Files are patterns of the names of files that are the only ones read, and that are
	// left out; Directories are those of directories. What is in both of the first two is read.
	Only, Files, Directories []string
	// Rest is true if files that neither names are left out.
	Rest bool
	// Inside says to look for files inside directories that are denied as a whole too.
	Inside bool
}

func (o *Out) key() string {
	return fmt.Sprintf("%t %t %v %v %q %q %q %t %t", o.Hidden, o.Ignored, o.Shown, o.Kept, o.Only, o.Files, o.Directories, o.Rest, o.Inside)
}

// Names is a pattern of names.
type Names struct {
	Pattern   string // of one name; one that is not plain may stand for any name
	Under     string // a directory that what it stands for is below, "" for any
	Directory bool   // it stands for directories only
}

// NamesOf reads a pattern as it is in files such as .gitignore. Slashes in the middle mean a place.
func NamesOf(pattern string) Names {
	var n Names
	pattern, n.Directory = strings.CutSuffix(pattern, "/")
	pattern = strings.TrimPrefix(pattern, "/")
	if first, _, inside := strings.Cut(pattern, "/"); inside && plain(first) && !strings.ContainsAny(first, "*?") {
		n.Under = first
	}
	n.Pattern = pattern[strings.LastIndexByte(pattern, '/')+1:]
	if n.Pattern == "**" {
		n.Pattern = "*"
	}
	return n
}

// mayBe reports whether a file or directory may be among names. With an option, letters in upper and
// lower case are alike.
func (n Names) mayBe(file string, one host.Entry) bool {
	return (!n.Directory || one.Kind == host.KindDirectory) && (n.Under == "" || strings.Contains(strings.ToLower(file), "/"+strings.ToLower(n.Under)+"/")) &&
		(!plain(n.Pattern) || matches(strings.ToLower(n.Pattern), strings.ToLower(one.Name)))
}

func mayBeOf(list []Names, file string, one host.Entry) bool {
	return slices.ContainsFunc(list, func(n Names) bool { return n.mayBe(file, one) })
}

// hidden reports whether something is left out for certain because its name begins with a dot.
func (o *Out) hidden(file string, one host.Entry) bool {
	return o.Hidden && strings.HasPrefix(one.Name, ".") && !mayBeOf(o.Shown, file, one) && !mayBeOf(o.Kept, file, one)
}

// file reports whether a file of this name is left out for certain.
func (o *Out) file(name string) bool {
	for _, pattern := range o.Only {
		if !plain(pattern) || matches(pattern, name) {
			return false
		}
	}
	return o.Rest || anyOf(o.Files, name)
}

// directory reports whether a directory of this name is left out for certain.
func (o *Out) directory(name string) bool { return anyOf(o.Directories, name) }

func anyOf(patterns []string, name string) bool {
	for _, pattern := range patterns {
		if plain(pattern) && matches(pattern, name) {
			return true
		}
	}
	return false
}

// plain reports whether a pattern means the same to every program: letters, * and ?, for one
// name.
func plain(pattern string) bool {
	return pattern != "" && !strings.ContainsAny(pattern, `/[]{}()!\|+@^`+"\x00") && !strings.Contains(pattern, "**")
}

func matches(pattern, name string) bool {
	matched, err := path.Match(pattern, name)
	return matched && err == nil
}
