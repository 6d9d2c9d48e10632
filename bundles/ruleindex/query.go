package ruleindex

import (
	"slices"
	"strings"

	"gavel"
)

// Query is what rules about a segment, or about a wrapper, are looked up by.
type Query struct {
	workspace  string // its real path, or ""
	executable gavel.Executable
	names      []string // by which a rule may name the program, sorted
	mentions   []string // names in the words, which may be programs that the segment runs
	anyProgram bool     // the segment may run any program
}

// NewQuery returns the query for a segment or a wrapper. opaque says why a segment is opaque, and
// dynamic lists its dynamic words; a wrapper has neither, so pass "" and an empty list. Nil lists
// mean unknown, and then more rules are found.
func NewQuery(workspace string, executable gavel.Executable, argv []string, hazards []gavel.Hazard, opaque string, dynamic []int) Query {
	q := Query{workspace: workspace, executable: executable}
	runsWord := slices.ContainsFunc(hazards, func(h gavel.Hazard) bool { return h.Kind == "runs" && h.Index == 0 })
	q.anyProgram = executable.Programs == nil || opaque != "" || (dynamic == nil || len(dynamic) > 0) && runsWord
	q.names = slices.Clone(executable.Programs)
	for _, name := range []string{executable.Name, executable.RealName} {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		q.names = append(q.names, name)
		for i := 1; i < len(name); i++ {
			if isVersion(name[i:]) {
				q.names = append(q.names, name[:i])
			}
		}
	}
	slices.Sort(q.names)
	q.names = slices.Compact(q.names)
	runsText := slices.ContainsFunc(hazards, func(h gavel.Hazard) bool { return slices.Contains(runningHazards(), h.Kind) })
	if opaque == "" && hazards != nil && !runsText {
		return q
	}
	for _, word := range argv {
		q.mentions = append(q.mentions, namesIn(word)...)
	}
	return q
}

// isVersion reports whether a string is the version at the end of a name: -2.4, 3.12 or .12.
func isVersion(text string) bool {
	text = strings.TrimLeft(text[:1], "-.") + text[1:]
	return text != "" && text[0] != '.' && strings.Trim(text, "0123456789.") == ""
}

// runningHazards are the kinds of argument hazards that run text which the analyzer did not read.
func runningHazards() []string { return []string{"runs", "inline", "carried", "unread"} }

// namesIn returns the parts of a word that may be the name of a program. Names consist of
// letters, digits, dashes and underscores, and a few contain ".", "+" or "[" (g++, python3.12, [).
// So every part that begins or ends at one of these counts as well.
func namesIn(word string) (names []string) {
	for _, run := range strings.FieldsFunc(word, func(c rune) bool { return !isNameRune(c) && !strings.ContainsRune(".+[", c) }) {
		starts, ends := []int{0}, []int{len(run)}
		if len(run) > 2 && run[0] == '-' && run[1] != '-' {
			starts = append(starts, 2) // the value of a short option: -Sgit
		}
		for i := range len(run) {
			if run[i] == '+' || run[i] == '[' {
				starts = append(starts, i, i+1)
			}
			if strings.IndexByte(".+[", run[i]) >= 0 {
				ends = append(ends, i)
			}
		}
		for _, start := range starts {
			for _, end := range ends {
				if start < end {
					names = append(names, run[start:end])
				}
			}
		}
	}
	return names
}

func isNameRune(c rune) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
