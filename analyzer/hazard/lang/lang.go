// Package lang reads the small languages of arguments: programs of sed, awk, jq, perl, python
// and Node.js.
// It says what such a text would do, as far as that is plain. It runs nothing, and what a reader
// does not understand is never harmless.
package lang

// Effects are what a reader found a program to do, apart from what is harmless. A reader
// continues after an effect where it can, but other effects are not ruled out.
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
