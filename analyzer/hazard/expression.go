package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// tests records which files outside the workspace a test asks about, and reports whether it is a
// single one whose words are taken as they are. name is the name of the program; with [ the last
// word is ].
func (f *finder) tests(x *programs.Expression, name string, words []string, base int) bool {
	for i, word := range words {
		f.exists(word, base+i)
	}
	if last := len(words) - 1; name == "[" {
		if last < 0 || words[last] != "]" {
			return false
		}
		words = words[:last]
	}
	if len(words) > 1 && words[0] == "!" {
		words = words[1:]
	}
	if slices.ContainsFunc(words, several) {
		return false
	}
	switch len(words) {
	case 0, 1:
		return true
	case 2:
		return slices.Contains(x.Unary, words[0])
	case 3:
		return slices.Contains(x.Binary, words[1]) || number(words[0]) && number(words[2])
	default:
		return false
	}
}

// number reports whether a word is a number, whichever it is.
func number(word string) bool { return spelling.Digits(strings.ReplaceAll(word, argv.Number, "0")) }

// exists records a hazard if a text is the path of something outside the workspace of which it is
// not everybody's business whether it is there.
func (f *finder) exists(text string, index int) {
	plain := strings.TrimSuffix(text, argv.Tilde)
	if strings.Contains(plain, argv.Unknown) {
		return
	}
	full := f.places.full(plain, f.at)
	if full == "" || f.at.inWorkspace(full) || !strings.Contains(plain, "/") {
		return
	}
	option := f.places.Path(plain, f.at)
	if option == "" && f.at.Scanner.Denies(full) {
		option = OptionDenied
	}
	if option != "" {
		f.add("reads", option, text, index)
		f.found[len(f.found)-1].Real = full
	}
}
