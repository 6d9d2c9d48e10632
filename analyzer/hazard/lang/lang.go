// Package lang reads the small languages in which arguments are written: programs of sed,
// awk, jq, perl and python. It says what such a text would do, as far as that is plain to
// see. Nothing is run, and what a reader does not understand is never harmless.
package lang

// Effects are what a reader found that a program does, beside what is harmless. None of
// them is ruled out where there is another: a reader goes on where it can.
type Effects int

// What a program may do.
const (
	Runs Effects = 1 << iota
	Writes
	Reads
	// Unread is what the reader does not understand: it could be anything.
	Unread
)

// The languages, as the catalog of programs names them.
const (
	NameSed    = "sed"
	NameAwk    = "awk"
	NameJQ     = "jq"
	NamePerl   = "perl"
	NamePython = "python"
)

// Plain returns what reports that a text of a language is plainly harmless, or nil for a
// language of which that is not read. What a program of jq may name is not said here: [JQ]
// returns the names.
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
	default:
		return nil
	}
}
