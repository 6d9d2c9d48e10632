package shell

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
)

// Reading returns the words of a command in the form that option readers expect. argv.Unknown
// stands for an unknown value: once at the start of a word that may be an option, and twice at
// the start of a word that may not. A word that may become several ends in argv.Several. If only
// numbers are unknown, the rest of the word is kept. text has the same words as written. follow,
// unless nil, stands for words that are added at run time.
func Reading(text []string, words []Word, follow *Word) []string {
	written := text
	for i := range words {
		if words[i].Dynamic {
			if &text[0] == &written[0] {
				text = slices.Clone(written)
			}
			text[i] = words[i].unknown()
		}
	}
	if follow != nil {
		text = append(slices.Clip(text), follow.unknown())
	}
	return text
}

func (w *Word) unknown() string {
	known, ending := w.Prefix, argv.Unknown
	switch {
	case w.withPIDs != "":
		return w.withPIDs
	case w.number && !w.MayBeMany:
		return argv.Number
	case w.homePath != "":
		return w.homePath + argv.Tilde
	case w.noDash:
		known = argv.Unknown
	case w.splits, w.MayBeMany && strings.HasPrefix(w.Prefix, "-"):
		known = ""
	}
	if w.MayBeMany {
		ending = argv.Several
	}
	return known + ending
}
