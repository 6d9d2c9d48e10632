package analyzer

import (
	"slices"
	"strings"
)

// unknownText stands for what is made at run time. No command can hold it.
const unknownText = "\x00"

// hazardDynamic is the name of the hazard that a word made at run time may be an
// option with one.
const hazardDynamic = "dynamic"

// anything returns the words of a command with unknownText where a value is not
// known: once at the start of what may be an option, and twice of what may not.
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
	switch {
	case w.undashed:
		return unknownText + unknownText
	case w.splits, w.many && strings.HasPrefix(w.prefix, "-"):
		return unknownText
	default:
		return w.prefix + unknownText
	}
}
