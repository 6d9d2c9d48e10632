package hazard

import (
	"iter"
	"strings"
)

// joints are the characters between which a part of a text may be a path for most programs:
// --name=path, name=@path, host:path, a,b. Some read more: {path,path}, name=<path;type=text,
// "path".
const (
	joints     = "=@:,"
	moreJoints = joints + "<>;|{}()\"'"
)

// Parts yields a text and the parts of it that may be paths: those that a file: URL may mean, what
// stands between joints, and what follows the letter of an option.
func Parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range fileNames(text) {
			if !yield(name) {
				return
			}
		}
		if !yield(text) || !split(text, joints, yield) {
			return
		}
		if len(text) > 2 && text[0] == '-' && text[1] != '-' {
			yield(text[2:])
		}
	}
}

// parts yields what Parts does, and what stands between characters that only some programs read as
// joints.
func parts(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for part := range Parts(text) {
			if !yield(part) {
				return
			}
		}
		split(text, moreJoints, yield)
	}
}

// split yields what stands between some characters, if there is one of them.
func split(text, between string, yield func(string) bool) (more bool) {
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
