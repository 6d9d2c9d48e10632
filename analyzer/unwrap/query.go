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
			if values = append(values, one.Text); one.Open {
				values[len(values)-1] = one.Pattern
			}
		}
	}
	return len(values) > 0 && !slices.ContainsFunc(values, func(text string) bool { return text == "" || strings.ContainsAny(text[:1], "-+*?[~$") })
}

// asking keeps such a command as a segment. That its program runs others is no hazard of it.
func (u *unfolder) asking(c call, executable gavel.Executable) node {
	at := len(u.list)
	n := u.segment(c, executable, "")
	if at < len(u.list) {
		s := &u.list[at]
		s.Hazards = slices.DeleteFunc(s.Hazards, func(h gavel.Hazard) bool { return h.Kind == "runs" && h.Index == 0 })
	}
	return n
}
