package hazard

import (
	"slices"
	"strings"

	"gavel/analyzer/argv"
	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// checkTest records which files outside the workspace a test asks about, and reports whether the words are
// a single test, none of which a shell evaluates. name is the name of the program; for [, the last
// word is ].
func (f *finder) checkTest(x *programs.Expression, name string, words []string, base int) bool {
	for i, word := range words {
		f.checkExistence(word, base+i)
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
	if slices.ContainsFunc(words, maySplit) {
		return false
	}
	switch len(words) {
	case 0, 1:
		return true
	case 2:
		return slices.Contains(x.Unary, words[0])
	case 3:
		return slices.Contains(x.Binary, words[1]) || isNumber(words[0]) && isNumber(words[2])
	default:
		return false
	}
}

// isNumber reports whether a word is certainly a number.
func isNumber(word string) bool { return spelling.Digits(strings.ReplaceAll(word, argv.Number, "0")) }

// checkExistence records a hazard if a text is a closed, secret or denied path outside the workspace, as the
// test reveals whether it exists.
func (f *finder) checkExistence(text string, index int) {
	plain := strings.TrimSuffix(text, argv.Tilde)
	if strings.Contains(plain, argv.Unknown) {
		return
	}
	full := f.places.resolve(plain, f.around)
	if full == "" || f.around.inWorkspace(full) || !strings.Contains(plain, "/") {
		return
	}
	option := f.places.Path(plain, f.around)
	if option == "" && f.around.Scanner.Denies(full) {
		option = OptionDenied
	}
	if option != "" {
		f.add("reads", option, text, index)
		f.found[len(f.found)-1].Real = full
	}
}
