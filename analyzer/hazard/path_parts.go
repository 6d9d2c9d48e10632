package hazard

import (
	"iter"
	"strings"
)

// joints separate the parts of a text that may be paths to most programs: --name=path, name=@path,
// host:path, a,b. Some programs also separate parts with other characters: {path,path},
// name=<path;type=text, "path".
const (
	separators    = "=@:,"
	allSeparators = separators + "<>;|{}()\"'"
)

// Parts yields a text and the parts of it that may be paths: those that a file: URL may mean, the
// parts between separators, and what follows the letter of an option.
func Parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range fileURLPaths(text) {
			if !yield(name) {
				return
			}
		}
		if !yield(text) || !yieldFields(text, separators, yield) {
			return
		}
		if len(text) > 2 && text[0] == '-' && text[1] != '-' {
			yield(text[2:])
		}
	}
}

// parts yields what Parts does, and the parts between characters that only some programs read as
// separators.
func parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range Parts(text) {
			if !yield(part) {
				return
			}
		}
		yieldFields(text, allSeparators, yield)
	}
}

// yieldFields yields the parts of a text between certain characters, if it has one of them. It returns false
// if the loop over the parts ended early.
func yieldFields(text, between string, yield func(string) bool) (more bool) {
	if !strings.ContainsAny(text, between) {
		return true
	}
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(between, r) }) {
		if !yield(part) {
			return false
		}
	}
	return true
}
