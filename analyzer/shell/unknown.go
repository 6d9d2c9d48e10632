package shell

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
)

// Reading returns the words of a command as whoever reads options is told of them: with
// argv.Unknown where a value is unknown, once at the start of what may be an option, and
// twice of what may not. What may become several words ends in argv.Several. Where only
// numbers are unknown, the rest of the word is there. text is the same words as they are
// written, and follow, unless nil, stands for words that are added at run time.
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
	case w.numbered != "":
		return w.numbered
	case w.homed != "":
		return w.homed + argv.Tilde
	case w.undashed:
		known = argv.Unknown
	case w.splits, w.Many && strings.HasPrefix(w.Prefix, "-"):
		known = ""
	}
	if w.Many {
		ending = argv.Several
	}
	return known + ending
}
