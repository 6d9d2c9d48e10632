package unwrap

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
)

// onlyAsks reports whether the words of a wrapper make it answer a question, so that it runs nothing. A
// shell with such an option only reads the file that the next word names.
func (w *wrapper) onlyAsks(words []shell.Word) bool {
	if len(words) < 2 || words[1].Dynamic || !slices.Contains(w.Queries, words[1].Text) {
		return false
	}
	return w.Kind != kindShell || len(words) > 2 && isOperand(&words[2])
}

// isOperand reports whether a word is certainly an operand, and not an option of a shell.
func isOperand(w *shell.Word) bool {
	values := []string{w.Text}
	if w.Dynamic {
		values = values[:0]
		for _, item := range w.Choices {
			if values = append(values, item.Text); item.IsPrefix {
				values[len(values)-1] = item.Pattern
			}
		}
	}
	return len(values) > 0 && !slices.ContainsFunc(values, func(text string) bool { return text == "" || strings.ContainsAny(text[:1], "-+*?[~$") })
}

// unwrapQuestion keeps such a command as a segment, without the hazard that its program runs others.
func (u *unwrapper) unwrapQuestion(c call, executable gavel.Executable) node {
	at := len(u.list)
	n := u.segment(c, executable, "")
	if at < len(u.list) {
		u.list[at].Hazards = withoutRuns(u.list[at].Hazards)
	}
	return n
}

// withoutRuns returns the hazards of a program without the one that it runs others.
func withoutRuns(list []gavel.Hazard) []gavel.Hazard {
	return slices.DeleteFunc(slices.Clone(list), func(h gavel.Hazard) bool { return h.Kind == "runs" && h.Index == 0 })
}

// fileAsked is the index of the file about which such a shell command asks.
const fileAsked = 2

// unwrapQuestionOfNames keeps a shell command as a segment that answers a question about a file which a
// glob or a loop supplies. It stays opaque until confirmProvisionals finds that nothing changes the files.
func (u *unwrapper) unwrapQuestionOfNames(c call, executable gavel.Executable, w *wrapper, opaque string) (node, bool) {
	if opaque == "" || w.Kind != kindShell || len(c.words) != fileAsked+1 || !c.words[fileAsked].Dynamic || !slices.Contains(w.Queries, c.words[1].Text) || !u.noOptions(c, fileAsked) {
		return node{}, false
	}
	list, before := len(u.list), len(u.provisionals)
	n := u.segment(c, executable, "")
	if list == len(u.list) {
		return n, true // there are too many
	}
	for i := before; i < len(u.provisionals); i++ {
		if e := &u.provisionals[i]; slices.Equal(e.words, []int{fileAsked}) {
			e.asks = true
			u.list[list].Opaque = opaque
			return n, true
		}
	}
	u.list, u.provisionals = u.list[:list], u.provisionals[:before]
	return node{}, false
}

// noOptions reports whether a word stands for names that are not options, as far as they are known.
func (u *unwrapper) noOptions(c call, at int) bool {
	if slices.Contains(c.nameIndexes(shell.Texts(c.words)), at) {
		return c.names.variable != "" || len(c.names.roots) > 0 // a name with a dash makes them unknown
	}
	patterns, texts, _ := patternsOf(&c.words[at])
	for _, pattern := range patterns {
		e := u.expandGlob(pattern, c.dir)
		if !e.OK {
			return false
		}
		for _, m := range e.Matches {
			texts = append(texts, m.Text)
		}
	}
	return len(patterns) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return text == "" || strings.ContainsAny(text[:1], "-+~$") })
}
