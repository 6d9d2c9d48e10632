// Package lang reads programs in the small languages of arguments: sed, awk, jq, perl, Python and
// Node.js. It takes the text of a program and returns its effects ([Sed], [Awk]), the names that it
// mentions ([JQ]), the files that it opens ([Python]), or whether it is plainly harmless ([Plain]). It
// runs nothing, and a program that a reader does not understand is never harmless. Each language has a
// file of its own; Python has several.
package lang

// Effects are the effects of a program that a reader found, except harmless ones. A reader continues
// after an effect where it can, but the program may have further effects.
type Effects int

// The effects of a program.
const (
	Runs Effects = 1 << iota
	Writes
	Reads
	// Unread means that the reader does not understand the program, which could do anything.
	Unread
)

// The languages, as the catalog of programs names them.
const (
	NameSed    = "sed"
	NameAwk    = "awk"
	NameJQ     = "jq"
	NamePerl   = "perl"
	NamePython = "python"
	NameNode   = "node"
)

// Plain returns the function that reports whether a text is plainly harmless, or nil for a
// language without one. jq is not covered: [JQ] returns the names that a program mentions.
func Plain(name string) func(text string) bool {
	switch name {
	case NameSed:
		return plainSed
	case NameAwk:
		return plainAwk
	case NamePerl:
		return plainPerl
	case NamePython:
		return plainPython
	case NameNode:
		return plainNode
	default:
		return nil
	}
}
