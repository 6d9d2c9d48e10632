package shell

import (
	"slices"
	"strings"
)

// InsertedWord is a word of a command that a wrapper fills in at run time, as xargs and find do.
type InsertedWord struct {
	// Index is its index. An index equal to the number of words means that further words follow.
	Index int
	// MayBeginWithDash is true if its value may begin with a dash.
	MayBeginWithDash bool
}

// FindInserted returns the words between two indexes that contain a marker. dashes says whether the
// inserted values may begin with a dash.
func FindInserted(argv []string, from, to int, marker string, dashes bool) []InsertedWord {
	var list []InsertedWord
	for i := from; i < to; i++ {
		before, _, found := strings.Cut(argv[i], marker)
		if found {
			list = append(list, InsertedWord{i, before == "" && dashes || strings.HasPrefix(before, "-") && !strings.Contains(before, "=")})
		}
	}
	return list
}

// Insert returns the words of a command, with those that a wrapper fills in marked as dynamic. They are
// rendered as written. follow stands for words that the wrapper appends, or is nil.
func Insert(words []Word, list []InsertedWord) (all []Word, follow *Word) {
	all = words
	for _, inserted := range list {
		item := Word{Dynamic: true, MayBeMany: true, noDash: !inserted.MayBeginWithDash}
		if inserted.Index >= len(words) {
			follow = &item
			continue
		}
		if &all[0] == &words[0] {
			all = slices.Clone(words)
		}
		item.Text, item.Pieces = all[inserted.Index].Text, all[inserted.Index].Pieces
		all[inserted.Index] = item
	}
	return all, follow
}
