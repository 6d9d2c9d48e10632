//go:build linux

package main

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"gavel"
)

// The problems of a run, worst first; "" means none.
const (
	ranForbidden = "a program ran that is not allowed"
	wroteFile    = "a file was written"
	ranOther     = "a program ran with other words than any segment"
	noSegments   = "allowed without saying what would run"
	ranLess      = "a segment did not run"
)

// escaped reports whether something happened that the decision did not allow. A segment that
// did not run is not an escape. It is counted, because the decision expected it to run.
func escaped(problem string) bool { return problem != "" && problem != ranLess }

// compare compares what ran with what was allowed: the programs that the agent may run, and the
// segments of the decision, each at most once and in any order.
//
// An original text calls programs by name. If byName is set, the first word is therefore not
// compared; the program still is.
func (w world) compare(agent string, decision *gavel.Decision, did outcome, byName bool) string {
	plan, problem := decision.Exec, ""
	left := slices.Clone(plan.Segments)
	for _, ran := range did.ran {
		program := string(ran.Path)
		if from, n := inShell(left, ran.Argv); n > 0 {
			if !w.opened[agent] {
				left = slices.Delete(left, from, from+n)
			}
			continue
		}
		i := slices.IndexFunc(left, func(s gavel.ExecSegment) bool {
			words := whole(s)
			return strings.TrimPrefix(words[0], w.view) == program && sameWords(words, ran.Argv, byName)
		})
		if !w.allowed[agent][program] && (i < 0 || len(left[i].Wrappers) == 0 && left[i].By != "safeBins") {
			return ranForbidden
		}
		if i < 0 {
			problem = ranOther
			continue
		}
		if !w.opened[agent] { // a loop runs a segment several times
			left = slices.Delete(left, i, i+1)
		}
	}
	switch {
	case slices.ContainsFunc(did.wrote, func(name string) bool { return !w.mayWrite(agent, name) }):
		return wroteFile
	case problem != "":
		return problem
	case w.opened[agent]:
		return "" // what runs depends on more than the operators
	case len(plan.Segments) == 0 && !runsNothing(decision):
		return noSegments
	case len(did.ran) < len(due(plan.Command, plan.Segments)):
		return ranLess
	}
	return ""
}

// runsNothing reports whether a decision says that the command runs no program, such as one that
// only sets a variable of the shell.
func runsNothing(decision *gavel.Decision) bool {
	return slices.ContainsFunc(decision.Reasons, func(r gavel.Reason) bool { return r.Code == "exec.no_program" })
}

// mayWrite reports whether an agent may make a change. Shells store here-documents in temporary
// files below /tmp and remove them again.
func (w world) mayWrite(agent, name string) bool {
	return w.opened[agent] && (strings.HasPrefix(name+"/", free) || name == "/tmp")
}

// whole returns a segment as it is run: the stub of a wrapper runs nothing, so the words of the
// wrappers come before those of the segment. A wrapper from a trusted directory needs no entry
// of its own; the program that it would run does.
func whole(s gavel.ExecSegment) []string { return slices.Concat(layers(s)...) }

// layers returns the wrappers of a segment and its own words. A program inside another one,
// such as busybox, is run by its name and judged as the program of that name.
func layers(s gavel.ExecSegment) [][]string {
	own, other := pattern(s), func(word string) bool { return !slices.Contains(multicalls(), path.Base(word)) }
	if last := len(s.Wrappers) - 1; last >= 0 && !slices.ContainsFunc(s.Wrappers[last], other) {
		own[0] = path.Base(own[0])
	}
	return append(slices.Clone(s.Wrappers), own)
}

// anyWords stands for a word that is produced at run time. It may become any number of words.
const anyWords = "\x00"

// pattern is a segment's words, with anyWords where they are produced at run time.
func pattern(s gavel.ExecSegment) []string {
	words := slices.Clone(s.Argv)
	for _, i := range s.Dynamic {
		if i < len(words) {
			words[i] = anyWords
		} else {
			words = append(words, anyWords)
		}
	}
	return words
}

// inShell returns which of the remaining segments are run by a shell that was given a text, as
// the first one and their number: consecutive segments whose outermost wrapper is this shell.
// Their words must be the words of the text, each in quotes, and nothing else. The shell is a
// stub, so the text is compared with the decision here.
func inShell(left []gavel.ExecSegment, ran [][]byte) (from, n int) {
	for from := range left {
		for depth := range left[from].Wrappers {
			if n := inShellBehind(left[from:], ran, depth+1); n > 0 {
				return from, n
			}
		}
	}
	return 0, 0
}

// inShellBehind returns how many segments, from the first, are run by a shell at a depth: the
// number of outermost wrappers including the shell, as in env sh -c.
func inShellBehind(left []gavel.ExecSegment, ran [][]byte, depth int) int {
	shell := slices.Concat(layers(left[0])[:depth]...)
	if len(ran) != len(shell)+1 || !sameWords(shell, ran[:len(shell)], false) {
		return 0
	}
	given := quoted(string(ran[len(shell)]))
	for i, segment := range left {
		if len(segment.Wrappers) < depth || !slices.Equal(slices.Concat(layers(segment)[:depth]...), shell) {
			return 0
		}
		words := slices.DeleteFunc(slices.Concat(layers(segment)[depth:]...),
			func(word string) bool { return word == anyWords })
		if len(given) < len(words) || !slices.Equal(given[:len(words)], words) {
			return 0
		}
		if given = given[len(words):]; len(given) == 0 {
			return i + 1
		}
	}
	return 0
}

// quoted returns the words of a text in which each word is in single quotes.
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
	if len(segment) == 0 || len(ran) == 0 {
		return len(segment) == len(ran)
	}
	return (byName || bytes.Equal([]byte(segment[0]), ran[0])) && fits(segment[1:], ran[1:])
}

// fits reports whether words match a pattern.
func fits(pattern []string, words [][]byte) bool {
	switch {
	case len(pattern) == 0:
		return len(words) == 0
	case pattern[0] == anyWords:
		return fits(pattern[1:], words) || len(words) > 0 && fits(pattern, words[1:])
	default:
		return len(words) > 0 && bytes.Equal([]byte(pattern[0]), words[0]) && fits(pattern[1:], words[1:])
	}
}

// due returns the segments that a command runs if every program except false succeeds. It
// returns all segments if the command's operators are not between its segments; the run then
// shows what happens.
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

// outside returns the operators of a command whose words are all in single quotes, apart from
// escaped quotes between them.
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
