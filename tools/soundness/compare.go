//go:build linux

package main

import (
	"bytes"
	"path"
	"slices"
	"strings"

	"gavel"
)

// The problems of a run. No problem is "".
const (
	ranForbidden = "a program ran that is not allowed"
	wroteFile    = "a file was written"
	ranOther     = "a program ran with words that no segment has"
	noSegments   = "allowed without segments"
	ranLess      = "a segment did not run"
)

// escaped reports whether a problem means that something happened that the decision did not allow. A
// segment that did not run is a problem, but not an escape.
func escaped(problem string) bool { return problem != "" && problem != ranLess }

// compare returns the problem of a run. Each program that ran must be one that the agent may run, and
// must match a segment of the decision. Each segment may run once, in any order.
//
// byName is set for an original text, which calls programs by name: the first words of a program and
// its segment may then differ.
func (w world) compare(agent string, decision *gavel.Decision, did outcome, byName bool) string {
	plan, problem := decision.Exec, ""
	remaining := slices.Clone(plan.Segments)
	for _, ran := range did.ran {
		program := string(ran.Path)
		if from, n := matchShell(remaining, ran.Argv); n > 0 {
			if !w.unrestricted[agent] {
				remaining = slices.Delete(remaining, from, from+n)
			}
			continue
		}
		i := slices.IndexFunc(remaining, func(s gavel.ExecSegment) bool {
			words := fullWords(s)
			return strings.TrimPrefix(words[0], w.view) == program && matchSegment(words, ran.Argv, byName)
		})
		if !w.allowed[agent][program] && (i < 0 || len(remaining[i].Wrappers) == 0 && remaining[i].By != "safeBins") {
			return ranForbidden
		}
		if i < 0 {
			problem = ranOther
			continue
		}
		if !w.unrestricted[agent] { // a loop runs a segment several times
			remaining = slices.Delete(remaining, i, i+1)
		}
	}
	switch {
	case slices.ContainsFunc(did.wrote, func(name string) bool { return !w.mayWrite(agent, name) }):
		return wroteFile
	case problem != "":
		return problem
	case w.unrestricted[agent]:
		return "" // conditions and loops decide what runs
	case len(plan.Segments) == 0 && !runsNothing(decision):
		return noSegments
	case len(did.ran) < len(expectedSegments(plan.Command, plan.Segments)):
		return ranLess
	}
	return ""
}

// runsNothing reports whether a decision says that the command runs no program, for example because
// it only sets a variable.
func runsNothing(decision *gavel.Decision) bool {
	return slices.ContainsFunc(decision.Reasons, func(r gavel.Reason) bool { return r.Code == "exec.no_program" })
}

// mayWrite reports whether an agent may change a path. /tmp itself may change, because shells create
// and remove temporary files for here-documents.
func (w world) mayWrite(agent, name string) bool {
	return w.unrestricted[agent] && (strings.HasPrefix(name+"/", freeDir) || name == "/tmp")
}

// fullWords returns the words of a segment's wrappers, followed by its own. The stub of a wrapper
// records all of these words, and runs nothing.
func fullWords(s gavel.ExecSegment) []string { return slices.Concat(layers(s)...) }

// layers returns the words of each wrapper of a segment, and last its own. If the wrapper is a
// multi-call program such as busybox, the segment's own program is called by its base name.
func layers(s gavel.ExecSegment) [][]string {
	own, other := pattern(s), func(word string) bool { return !slices.Contains(multicalls(), path.Base(word)) }
	if last := len(s.Wrappers) - 1; last >= 0 && !slices.ContainsFunc(s.Wrappers[last], other) {
		own[0] = path.Base(own[0])
	}
	return append(slices.Clone(s.Wrappers), own)
}

// anyWords is the pattern for a dynamic word, which may become any number of words.
const anyWords = "\x00"

// pattern returns a segment's words, with anyWords in place of each dynamic word.
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

// matchShell matches a shell that ran with -c and a text. The shell is a stub, so nothing of the text
// runs. Instead, the words of the text must be the words of consecutive segments that have this shell
// as a wrapper. matchShell returns the index of the first of these segments and their number, or 0.
func matchShell(remaining []gavel.ExecSegment, ran [][]byte) (from, n int) {
	for from := range remaining {
		for depth := range remaining[from].Wrappers {
			if n := matchShellAt(remaining[from:], ran, depth+1); n > 0 {
				return from, n
			}
		}
	}
	return 0, 0
}

// matchShellAt returns the number of segments, counted from the first, that a shell runs. depth is the
// number of outermost wrappers including the shell: 2 in env sh -c.
func matchShellAt(remaining []gavel.ExecSegment, ran [][]byte, depth int) int {
	shell := slices.Concat(layers(remaining[0])[:depth]...)
	if len(ran) != len(shell)+1 || !matchSegment(shell, ran[:len(shell)], false) {
		return 0
	}
	rest := quotedWords(string(ran[len(shell)]))
	for i, segment := range remaining {
		if len(segment.Wrappers) < depth || !slices.Equal(slices.Concat(layers(segment)[:depth]...), shell) {
			return 0
		}
		words := slices.DeleteFunc(slices.Concat(layers(segment)[depth:]...),
			func(word string) bool { return word == anyWords })
		if len(rest) < len(words) || !slices.Equal(rest[:len(words)], words) {
			return 0
		}
		if rest = rest[len(words):]; len(rest) == 0 {
			return i + 1
		}
	}
	return 0
}

// quotedWords returns the words of a text whose words are all in single quotes.
func quotedWords(text string) []string {
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

func matchSegment(segment []string, ran [][]byte, byName bool) bool {
	if len(segment) == 0 || len(ran) == 0 {
		return len(segment) == len(ran)
	}
	return (byName || bytes.Equal([]byte(segment[0]), ran[0])) && matchWords(segment[1:], ran[1:])
}

// matchWords reports whether words match a pattern.
func matchWords(pattern []string, words [][]byte) bool {
	switch {
	case len(pattern) == 0:
		return len(words) == 0
	case pattern[0] == anyWords:
		return matchWords(pattern[1:], words) || len(words) > 0 && matchWords(pattern, words[1:])
	default:
		return len(words) > 0 && bytes.Equal([]byte(pattern[0]), words[0]) && matchWords(pattern[1:], words[1:])
	}
}

// expectedSegments returns the segments that a command runs if every program except false succeeds.
// If the command has fewer operators than gaps between its segments, it returns all segments.
func expectedSegments(command string, segments []gavel.ExecSegment) []gavel.ExecSegment {
	operators := unquotedOperators(command)
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

// unquotedOperators returns the operators of a command whose words are all in single quotes. Escaped
// quotes may stand between the quotes.
func unquotedOperators(command string) []string {
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
