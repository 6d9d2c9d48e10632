package shell

import (
	"slices"
	"strings"
)

// Made is a word of a command whose value a wrapper produces, as xargs and find do.
type Made struct {
	// At is its position. A position equal to the number of words means that further words
	// follow.
	At int
	// Dashes is true if its value may begin with a dash.
	Dashes bool
}

// Marked returns the words between two positions that contain a marker. dashes says whether the
// inserted values may begin with a dash.
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

// Remake returns the words of a command in which a wrapper inserts some. They are printed as
// written, and their values are whatever the wrapper inserts. follow stands for the words that it
// adds.
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
