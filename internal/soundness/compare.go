//go:build linux

package main

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"gavel"
)

// What can be wrong with a run, worst first; "" is nothing.
const (
	ranForbidden = "a program ran that is not allowed"
	wroteFile    = "a file was written"
	ranOther     = "a program ran with other words than any segment"
	noSegments   = "allowed without saying what would run"
	ranLess      = "a segment did not run"
)

// escaped reports whether something happened that the decision did not allow. A
// segment that did not run is none; it is counted, for it was judged to run.
func escaped(problem string) bool { return problem != "" && problem != ranLess }

// compare holds what ran against what was allowed: the programs that the agent
// may run, and the segments of the decision, each at most once and in any order.
//
// A text as it was given calls programs by name, so the first word is left out
// when byName is set; the program is the same all the same.
func (w world) compare(agent string, plan *gavel.Exec, did outcome, byName bool) string {
	problem := ""
	left := slices.Clone(plan.Segments)
	for _, ran := range did.ran {
		program := string(ran.Path)
		if n := inShell(left, ran.Argv); n > 0 {
			left = left[n:]
			continue
		}
		i := slices.IndexFunc(left, func(s gavel.ExecSegment) bool {
			words := whole(s)
			return strings.TrimPrefix(words[0], w.view) == program && sameWords(words, ran.Argv, byName)
		})
		if !w.allowed[agent][program] && (i < 0 || len(left[i].Wrappers) == 0) {
			return ranForbidden
		}
		if i < 0 {
			problem = ranOther
			continue
		}
		left = slices.Delete(left, i, i+1)
	}
	switch {
	case len(did.wrote) > 0:
		return wroteFile
	case problem != "":
		return problem
	case len(plan.Segments) == 0:
		return noSegments
	case len(did.ran) < len(due(plan.Command, plan.Segments)):
		return ranLess
	}
	return ""
}

// whole is a segment as it is run: a stub of a wrapper runs nothing, so the words of
// the wrappers stand before those of the segment. A wrapper needs no entry of its
// own where it comes from a trusted directory; what it would run does.
func whole(s gavel.ExecSegment) []string {
	return append(slices.Concat(s.Wrappers...), s.Argv...)
}

// inShell returns how many of the segments that are left, from the first, a shell
// runs that was given a text: all whose outermost wrapper it is. Their words must be
// the words of the text, each in quotes, and nothing else. The shell is a stub, so
// this is where its text is held against the decision.
func inShell(left []gavel.ExecSegment, ran [][]byte) int {
	if len(left) == 0 || len(left[0].Wrappers) == 0 {
		return 0
	}
	shell := left[0].Wrappers[0]
	if len(ran) != len(shell)+1 || !sameWords(shell, ran[:len(shell)], false) {
		return 0
	}
	given := quoted(string(ran[len(shell)]))
	for i, segment := range left {
		if len(segment.Wrappers) == 0 || !slices.Equal(segment.Wrappers[0], shell) {
			return 0
		}
		words := append(slices.Concat(segment.Wrappers[1:]...), segment.Argv...)
		if len(given) < len(words) || !slices.Equal(given[:len(words)], words) {
			return 0
		}
		if given = given[len(words):]; len(given) == 0 {
			return i + 1
		}
	}
	return 0
}

// quoted returns the words of a text in which each stands in single quotes.
func quoted(text string) []string {
	var words []string
	for _, part := range strings.Split(strings.ReplaceAll(text, `'\''`, "\x00"), "'") {
		words = append(words, strings.ReplaceAll(part, "\x00", "'"))
	}
	var inside []string
	for i := 1; i < len(words); i += 2 {
		inside = append(inside, words[i])
	}
	return inside
}

func sameWords(segment []string, ran [][]byte, byName bool) bool {
	if len(segment) != len(ran) {
		return false
	}
	for i, word := range segment {
		if (i > 0 || !byName) && !bytes.Equal([]byte(word), ran[i]) {
			return false
		}
	}
	return true
}

// due returns the segments that a command runs whose programs all succeed, but
// for false. It returns all when the command's operators are not between its
// segments: the run will show what that means.
func due(command string, segments []gavel.ExecSegment) []gavel.ExecSegment {
	operators := outside(command)
	if len(operators) < len(segments)-1 {
		return segments
	}
	var list []gavel.ExecSegment
	runs, failed := true, false
	for i, segment := range segments {
		if i > 0 {
			switch operators[i-1] {
			case "|", "|&":
			case "&&":
				runs = !failed
			case "||":
				runs = failed
			default:
				runs, failed = true, false
			}
		}
		if runs {
			list = append(list, segment)
			failed = path.Base(segment.Argv[0]) == "false"
		}
	}
	return list
}

// outside returns the operators of a command all of whose words are in single
// quotes, but for escaped quotes between them.
func outside(command string) []string {
	var bare strings.Builder
	quoted := false
	for i := 0; i < len(command); i++ {
		switch c := command[i]; {
		case c == '\'':
			quoted = !quoted
		case quoted:
		case c == '\\':
			i++
		default:
			bare.WriteByte(c)
		}
	}
	return strings.Fields(strings.ReplaceAll(bare.String(), ";", " ; "))
}
