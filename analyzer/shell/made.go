package shell

import (
	"slices"
	"strings"
)

// Made is a word of a command whose value a wrapper makes, as xargs and find do.
type Made struct {
	// At is its position; the length of the command says that further words follow.
	At int
	// Dashes is true when its value, as far as one knows, may begin with a dash.
	Dashes bool
}

// Marked returns the words from one position up to another that hold a marker. What
// is put in its place begins with a dash only where dashes says so.
func Marked(argv []string, from, to int, marker string, dashes bool) []Made {
	var list []Made
	for i := from; i < to; i++ {
		before, _, found := strings.Cut(argv[i], marker)
		if found {
			list = append(list, Made{i, before == "" && dashes || strings.HasPrefix(before, "-") && !strings.Contains(before, "=")})
		}
	}
	return list
}

// Remake returns the words of a command once a wrapper has made some of them: they
// are printed as they are written, and are whatever the wrapper puts there. follow
// stands for those that it adds.
func Remake(words []Word, list []Made) (all []Word, follow *Word) {
	all = words
	for _, m := range list {
		one := Word{Dynamic: true, Many: true, undashed: !m.Dashes}
		if m.At >= len(words) {
			follow = &one
			continue
		}
		if &all[0] == &words[0] {
			all = slices.Clone(words)
		}
		one.Text, one.Pieces = all[m.At].Text, all[m.At].Pieces
		all[m.At] = one
	}
	return all, follow
}
