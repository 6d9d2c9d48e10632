package analyzer

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
)

// unknownText stands for what is made at run time. No command can hold it.
const unknownText = argv.Unknown

// severalText ends what stands for a word that may become several words, or none.
const severalText = argv.Several

// numberText stands for a number that is made at run time, in a text of which the rest
// is written: that of a process, which is digits.
const numberText = unknownText + "\x02"

// tildeText ends a word that is written but for the home directory at its beginning. It
// is the shell's to say which that is, so nothing may be concluded in favour of the word.
const tildeText = unknownText + "\x03"

// anything returns the words of a command with unknownText where a value is not
// known: once at the start of what may be an option, and twice of what may not. What
// may become several words ends in severalText. Where only numbers are not known, the
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
	known, ending := w.prefix, unknownText
	switch {
	case w.numbered != "":
		return w.numbered
	case w.homed != "":
		return w.homed + tildeText
	case w.undashed:
		known = unknownText
	case w.splits, w.many && strings.HasPrefix(w.prefix, "-"):
		known = ""
	}
	if w.many {
		ending = severalText
	}
	return known + ending
}
