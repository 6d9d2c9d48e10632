package unwrap

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/fileglob"
	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
	"gavel/analyzer/shell"
	"gavel/analyzer/spelling"
)

// maxReadings limits the readings of one command that are examined for the files that match its globs.
const maxReadings = 256

// maxHazards limits the hazards of these files that are reported.
const maxHazards = 64

// provisional has what is known about the globs and supplied names of one segment, provided that nothing
// changes the files before it runs.
type provisional struct {
	segment int
	words   []int                       // indexes in Argv of words of which every file is known
	drop    []gavel.Hazard              // hazards that the segment then does not have
	line    *hazard.Line                // how the program reads its words, if none of them is an option
	asks    bool                        // with these files, the command answers a question
	tracked *programs.ListsTrackedFiles // they are names of tracked files, unless another command changes which
}

// readingWord is one word of a reading: its value, its source, and its index in Argv.
type readingWord struct {
	text, shown string
	index       int
}

// globHazards examines the files that match the globs of a command, and returns their hazards. base are the
// hazards of the globs themselves, and may are the words as readers of options get them.
func (u *unwrapper) globHazards(c call, argv, may []string, base []gavel.Hazard, executable gavel.Executable, opaque string) []gavel.Hazard {
	if !slices.ContainsFunc(c.words, u.mayGlob) {
		return nil
	}
	e, readings, dashes := provisional{segment: len(u.list)}, [][]readingWord{nil}, false
	var found []gavel.Hazard
	for i := range may {
		shown := ""
		if i < len(argv) {
			shown = argv[i]
		}
		choices := [][]readingWord{{{may[i], shown, i}}}
		if i < len(c.words) {
			several, hazards := u.globChoices(c, i)
			found = append(found, hazards...)
			if len(several) > 0 && len(readings)*len(several) <= maxReadings {
				e.words, choices = append(e.words, i), several
				dashes = dashes || slices.ContainsFunc(slices.Concat(several...), func(item readingWord) bool { return strings.HasPrefix(item.text, "-") })
			}
		}
		readings = combine(readings, choices)
	}
	if len(e.words) == 0 {
		return limitHazards(found)
	}
	for _, item := range readings {
		found = append(found, u.readingHazards(item, argv, executable, opaque, c)...)
	}
	for _, h := range base {
		if !slices.ContainsFunc(found, func(other gavel.Hazard) bool { return sameHazard(h, other) }) {
			e.drop = append(e.drop, h)
		}
	}
	if !dashes {
		e.line = u.plainLine(c, may, e.words, executable)
	}
	u.provisionals = append(u.provisionals, e)
	return limitHazards(found)
}

// plainLine returns how a program reads its words if some of them are not options.
func (u *unwrapper) plainLine(c call, may []string, words []int, executable gavel.Executable) *hazard.Line {
	others := slices.Clone(c.words)
	for _, at := range words {
		if at < len(others) {
			others[at].Choices = nil
		}
	}
	line := u.line(shell.Readings(withoutDashes(may, words), others), executable, c.dir)
	u.operands(line.Operands, c, u.patterns(c.words, executable.Programs))
	return &line
}

// withoutDashes returns the words, of which those with these indexes are certainly no options.
func withoutDashes(may []string, words []int) []string {
	may = slices.Clone(may)
	for _, at := range words {
		may[at] = noOptionWord
	}
	return may
}

// mayGlob reports whether globs may be expanded in a word.
func (u *unwrapper) mayGlob(w shell.Word) bool {
	return w.Globbed || len(u.globs) > 0 && w.Parameters
}

// limitHazards returns hazards without duplicates. If there are too many, the last one reports that.
func limitHazards(list []gavel.Hazard) []gavel.Hazard {
	seen := map[gavel.Hazard]bool{}
	list = slices.DeleteFunc(list, func(h gavel.Hazard) bool {
		known := seen[h]
		seen[h] = true
		return known
	})
	if len(list) > maxHazards {
		last := list[maxHazards]
		list = append(list[:maxHazards], gavel.Hazard{Kind: "reads", Option: hazard.OptionBound, Argument: last.Argument, Index: last.Index})
	}
	return list
}

// combine continues every reading with every choice.
func combine(readings [][]readingWord, choices [][]readingWord) [][]readingWord {
	longer := make([][]readingWord, 0, len(readings)*len(choices))
	for _, before := range readings {
		for _, item := range choices {
			longer = append(longer, slices.Concat(before, item))
		}
	}
	return longer
}

// readingHazards returns the hazards of one reading, with the indexes of the words as written.
func (u *unwrapper) readingHazards(parts []readingWord, argv []string, executable gavel.Executable, opaque string, c call) []gavel.Hazard {
	text, shown := make([]string, len(parts)), make([]string, len(parts))
	for i, item := range parts {
		text[i], shown[i] = item.text, item.shown
	}
	found, _ := u.Hazards.Of(shown, [][]string{text}, executable, opaque, u.surroundings(c))
	for i := range found {
		if at := found[i].Index; at < len(parts) {
			found[i].Index = parts[at].index
		} else {
			found[i].Index = len(argv)
		}
	}
	return found
}

// sameHazard reports whether two hazards of a word are alike.
func sameHazard(a, b gavel.Hazard) bool {
	return a.Kind == b.Kind && a.Option == b.Option && a.Index == b.Index
}

// patternsOf returns the globs and texts that a word may stand for. If loop is false, the word expands to
// all their files at once; otherwise it is the variable of a loop, and stands for one of them.
func patternsOf(w *shell.Word) (patterns, texts []string, loop bool) {
	for _, item := range w.FileNames {
		if item.IsPrefix {
			patterns = append(patterns, item.Pattern)
		} else {
			texts = append(texts, item.Text)
		}
	}
	if len(w.FileNames) > 0 {
		return patterns, texts, true
	}
	if len(w.Choices) == 0 {
		return w.Patterns(), nil, false
	}
	for _, item := range w.Choices {
		if item.IsPrefix {
			patterns = w.Patterns()
		} else {
			texts = append(texts, item.Text)
		}
	}
	return patterns, texts, true
}

// globChoices returns the possible readings of a word that is a glob, and the hazards of its files and
// directories. There are no readings unless all files are known.
func (u *unwrapper) globChoices(c call, i int) (ways [][]readingWord, found []gavel.Hazard) {
	w := &c.words[i]
	patterns, texts, loop := patternsOf(w)
	for _, name := range w.Variables {
		for _, pattern := range u.globs[name] {
			found = append(found, u.directoryHazardsOf(pattern, c, i)...)
		}
	}
	switch {
	case len(patterns) == 0 && w.Globbed:
		return nil, append(found, u.directoryHazardsOf(w.Text, c, i)...)
	case len(patterns) == 0:
		return nil, found
	}
	all := make([]readingWord, 0, len(texts))
	for _, text := range texts {
		all = append(all, readingWord{text, text, i})
	}
	complete := true
	for _, pattern := range patterns {
		e := u.expandGlob(pattern, c.dir)
		u.recordGlobFacts(pattern, &e)
		found = append(found, u.directoryHazards(e, pattern, c, i)...)
		complete = complete && e.OK
		for _, m := range e.Matches {
			found = append(found, u.recordMatch(m, c, i)...)
			all = append(all, readingWord{m.Text, m.Text, i})
			complete = complete && (len(w.FileNames) == 0 || spelling.Ordinary(m.Text))
		}
		if len(e.Matches) == 0 || loop && strings.Contains(pattern, "[") { // such a pattern may match less than is assumed
			all = append(all, readingWord{pattern, pattern, i}) // it stays as it is
		}
	}
	if !complete || w.ProcessSubstitution {
		return nil, found
	}
	if !loop {
		return [][]readingWord{all}, found
	}
	for _, item := range all {
		ways = append(ways, []readingWord{item})
	}
	return ways, found
}

// recordGlobs records the globs among the values of variables.
func (u *unwrapper) recordGlobs(values []shell.Assignment) {
	for _, item := range values {
		pattern := cmp.Or(item.Value.Pattern, item.Value.Text)
		if strings.ContainsAny(pattern, "*?[") {
			if u.globs == nil {
				u.globs = map[string][]string{}
			}
			u.globs[item.Name] = append(u.globs[item.Name], pattern)
		}
	}
}

// directoryHazardsOf returns the hazards of the directories in which a glob is expanded.
func (u *unwrapper) directoryHazardsOf(pattern string, c call, i int) []gavel.Hazard {
	e := u.expandGlob(pattern, c.dir)
	u.recordGlobFacts(pattern, &e)
	return u.directoryHazards(e, pattern, c, i)
}

// directoryHazards returns the hazards of the directories that expanding a glob lists. If they are unknown, it
// is the directory that the glob begins with.
func (u *unwrapper) directoryHazards(e fileglob.Expansion, pattern string, c call, i int) (found []gavel.Hazard) {
	at, guessed := u.Surroundings(c.dir), e.Absent
	if !e.OK {
		guessed = append(slices.Clip(guessed), beginning(pattern))
	}
	for k, dir := range slices.Concat(e.Listed, guessed) {
		h, ok := u.Paths.DirectoryHazard(dir, at)
		if sure := k < len(e.Listed); ok && dir != "" && (sure || h.Kind == "reads") {
			h.Argument, h.Index = pattern, i
			found = append(found, h)
		}
	}
	return found
}

// recordMatch records what one match of a glob touches, and returns the hazard of its real path.
func (u *unwrapper) recordMatch(m fileglob.Match, c call, i int) []gavel.Hazard {
	clean, real, known := path.Clean(m.Full), m.Real, true
	if real == "" {
		real, known = u.Host.Resolve(m.Full)
	}
	if real == clean {
		return nil
	}
	if t, ok := u.TouchAt(clean, real, known, gavel.Touch{Access: "write", Given: m.Text, Program: c.words[0].Text}); ok {
		u.add(t)
	}
	h, ok := u.Paths.TargetHazard(real, u.Surroundings(c.dir))
	switch {
	case !known:
		h = gavel.Hazard{Kind: "elsewhere", Option: "outside"}
	case !ok:
		return nil
	}
	h.Argument, h.Index = m.Text, i
	return []gavel.Hazard{h}
}
