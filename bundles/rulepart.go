package bundles

import (
	"slices"
	"strings"

	"gavel"
)

// rulePart is what rules are looked up by.
type rulePart struct {
	workspace  string // by its real path, or ""
	executable gavel.Executable
	names      []string // that a rule may call the program by
	mentions   []string // programs that the words may be about
	anything   bool     // the words may be about any program
}

// partOf is what rules about a segment or a wrapper are looked up by. A wrapper is never
// opaque, and all its words are literal.
func partOf(workspace string, executable gavel.Executable, argv []string, hazards []gavel.Hazard, opaque string, dynamic []int) rulePart {
	p := rulePart{workspace: workspace, executable: executable, anything: executable.Programs == nil || opaque != ""}
	p.anything = p.anything || (dynamic == nil || len(dynamic) > 0) && slices.ContainsFunc(hazards, func(h gavel.Hazard) bool { return h.Kind == "runs" && h.Index == 0 })
	p.names = slices.Clone(executable.Programs)
	for _, name := range []string{executable.Name, executable.RealName} {
		name = strings.TrimSuffix(strings.ToLower(name), ".exe")
		p.names = append(p.names, name)
		for i := 1; i < len(name); i++ {
			if isVersion(name[i:]) {
				p.names = append(p.names, name[:i])
			}
		}
	}
	slices.Sort(p.names)
	p.names = slices.Compact(p.names)
	if opaque == "" && !slices.ContainsFunc(hazards, func(h gavel.Hazard) bool { return slices.Contains(unreadKinds(), h.Kind) }) && hazards != nil {
		return p
	}
	for _, word := range argv {
		p.mentions = append(p.mentions, mentioned(word)...)
	}
	return p
}

// isVersion reports whether a text is the version at the end of a name: -2.4, 3.12 or .12.
func isVersion(text string) bool {
	text = strings.TrimLeft(text[:1], "-.") + text[1:]
	return text != "" && text[0] != '.' && strings.Trim(text, "0123456789.") == ""
}

// unreadKinds are the kinds of hazard that run a text which was not analyzed.
func unreadKinds() []string { return []string{"runs", "inline", "carried", "unread"} }

// mentioned are the texts in a word that may be the name of a program: what stands by
// itself among letters, digits and dashes, with the dots and signs that names have.
func mentioned(word string) (names []string) {
	for _, run := range strings.FieldsFunc(word, func(c rune) bool { return !nameRune(c) && !strings.ContainsRune(".+[", c) }) {
		starts, ends := []int{0}, []int{len(run)}
		if len(run) > 2 && run[0] == '-' && run[1] != '-' {
			starts = append(starts, 2) // after the letter of an option
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

func nameRune(c rune) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
