package analyzer

import (
	"slices"
	"strings"
)

// made is a word of a command whose value a wrapper makes, as xargs and find do.
type made struct {
	// at is its position; the length of the command says that further words follow.
	at int
	// dashes is true when its value, as far as one knows, may begin with a dash.
	dashes bool
}

// marked returns the words from one position up to another that hold a marker. What
// is put in its place begins with a dash only where dashes says so.
func marked(argv []string, from, to int, marker string, dashes bool) []made {
	var list []made
	for i := from; i < to; i++ {
		before, _, found := strings.Cut(argv[i], marker)
		if found {
			list = append(list, made{i, before == "" && dashes || strings.HasPrefix(before, "-") && !strings.Contains(before, "=")})
		}
	}
	return list
}

// remake returns the words of a command once a wrapper has made some of them: they
// are printed as they are written, and are whatever the wrapper puts there. follow
// stands for those that it adds.
func remake(words []word, list []made) (all []word, follow *word) {
	all = words
	for _, m := range list {
		one := word{dynamic: true, many: true, undashed: !m.dashes}
		if m.at >= len(words) {
			follow = &one
			continue
		}
		if &all[0] == &words[0] {
			all = slices.Clone(words)
		}
		one.text, one.pieces = all[m.at].text, all[m.at].pieces
		all[m.at] = one
	}
	return all, follow
}
