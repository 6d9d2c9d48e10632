package unwrap

import (
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/shell"
)

// asks reports whether the words of a wrapper make it answer a question, so that it runs nothing. A
// shell reads the file that the next word names. Behind another option, such as -i, it would run it.
func (w *wrapper) asks(words []shell.Word) bool {
	if len(words) < 2 || words[1].Dynamic || !slices.Contains(w.Queries, words[1].Text) {
		return false
	}
	return w.Kind != kindShell || len(words) > 2 && operand(&words[2])
}

// operand reports whether a word is certainly one, and no option of a shell.
func operand(w *shell.Word) bool {
	values := []string{w.Text}
	if w.Dynamic {
		values = values[:0]
		for _, one := range w.Choices {
			if values = append(values, one.Text); one.IsPrefix {
				values[len(values)-1] = one.Pattern
			}
		}
	}
	return len(values) > 0 && !slices.ContainsFunc(values, func(text string) bool { return text == "" || strings.ContainsAny(text[:1], "-+*?[~$") })
}

// asking keeps such a command as a segment. That its program runs others is not a hazard of it.
func (u *unfolder) asking(c call, executable gavel.Executable) node {
	at := len(u.list)
	n := u.segment(c, executable, "")
	if at < len(u.list) {
		u.list[at].Hazards = answering(u.list[at].Hazards)
	}
	return n
}

// answering returns the hazards of a program without the one that it runs others.
func answering(list []gavel.Hazard) []gavel.Hazard {
	return slices.DeleteFunc(slices.Clone(list), func(h gavel.Hazard) bool { return h.Kind == "runs" && h.Index == 0 })
}

// fileAsked is the position of the file about which such a command asks.
const fileAsked = 2

// askingOf keeps a command as a segment that answers a question if the file that it is given is what
// its loop, or a pattern, stands for. It stays opaque until it is certain that nothing changes those.
func (u *unfolder) askingOf(c call, executable gavel.Executable, w *wrapper, opaque string) (node, bool) {
	if opaque == "" || w.Kind != kindShell || len(c.words) != fileAsked+1 || !c.words[fileAsked].Dynamic || !slices.Contains(w.Queries, c.words[1].Text) || !u.noOptions(c, fileAsked) {
		return node{}, false
	}
	list, before := len(u.list), len(u.expansions)
	n := u.segment(c, executable, "")
	if list == len(u.list) {
		return n, true // there are too many
	}
	for i := before; i < len(u.expansions); i++ {
		if e := &u.expansions[i]; slices.Equal(e.words, []int{fileAsked}) {
			e.asks = true
			u.list[list].Opaque = opaque
			return n, true
		}
	}
	u.list, u.expansions = u.list[:list], u.expansions[:before]
	return node{}, false
}

// noOptions reports whether a word stands for names that are not options, as far as they are known.
func (u *unfolder) noOptions(c call, at int) bool {
	if slices.Contains(c.given(shell.Texts(c.words)), at) {
		return c.yield.variable != "" || len(c.yield.roots) > 0 // a name with a dash makes them unknown
	}
	patterns, texts, _ := patternsOf(&c.words[at])
	for _, pattern := range patterns {
		e := u.expand(pattern, c.dir)
		if !e.ok {
			return false
		}
		for _, m := range e.matches {
			texts = append(texts, m.text)
		}
	}
	return len(patterns) > 0 && !slices.ContainsFunc(texts, func(text string) bool { return text == "" || strings.ContainsAny(text[:1], "-+~$") })
}
