package analyzer

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
)

// anything returns the words of a command with argv.Unknown where a value is not
// known: once at the start of what may be an option, and twice of what may not. What
// may become several words ends in argv.Several. Where only numbers are not known, the
// rest of the word is there.
func anything(argv []string, words []word, follow *word) []string {
	text := argv
	for i := range words {
		if words[i].dynamic {
			if &text[0] == &argv[0] {
				text = slices.Clone(argv)
			}
			text[i] = words[i].unknown()
		}
	}
	if follow != nil {
		text = append(slices.Clip(text), follow.unknown())
	}
	return text
}

func (w *word) unknown() string {
	known, ending := w.prefix, argv.Unknown
	switch {
	case w.numbered != "":
		return w.numbered
	case w.homed != "":
		return w.homed + argv.Tilde
	case w.undashed:
		known = argv.Unknown
	case w.splits, w.many && strings.HasPrefix(w.prefix, "-"):
		known = ""
	}
	if w.many {
		ending = argv.Several
	}
	return known + ending
}
