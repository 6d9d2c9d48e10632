package below

import (
	"fmt"
	"path"
	"strings"
)

// Out says what a program leaves out of a directory that it reads. The zero value leaves out
// nothing.
type Out struct {
	Hidden  bool // what begins with a dot
	Ignored bool // what git ignores
	// Only and Files are patterns of the names of files that are the only ones read, and that are
	// left out; Directories are those of directories. What is in both of the first two is read.
	Only, Files, Directories []string
	// Rest is true if files that neither names are left out.
	Rest bool
}

func (o *Out) key() string {
	return fmt.Sprintf("%t %t %q %q %q %t", o.Hidden, o.Ignored, o.Only, o.Files, o.Directories, o.Rest)
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
