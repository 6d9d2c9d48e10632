// Package nearest finds the name that a misspelt one most likely means, for messages such as
// "did you mean". No name is ever read as another, and no decision about a call depends on
// how near two names are. [Mistakable] says what does.
package nearest

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agext/levenshtein"
)

// Name returns the candidate that a misspelt name most likely means, or ""
// when none is near. Near is an edit distance of at most 2, of at most 1 when
// either name has four letters or fewer, where two swapped neighbours count as
// one edit; or a name that only lacks an ending, such as sandbox of sandboxing.
// Case does not matter. Of two that are equally near the first in the alphabet
// is returned.
func Name(name string, candidates []string) string {
	const longest = 64
	if utf8.RuneCountInString(name) > longest {
		return ""
	}
	given := strings.ToLower(strings.TrimSpace(name))
	best, least := "", 4
	for _, candidate := range slices.Sorted(slices.Values(candidates)) {
		if distance := distance(given, strings.ToLower(candidate)); distance < least {
			best, least = candidate, distance
		}
	}
	return best
}

// Mistakable is [Name] where a name that is not known may be right: an agent id, a section of
// another program, the tool of a plugin, a helper rule. There nothing else tells a misspelling
// from a name, and to pass over "tool" for "tools" would loosen a policy. So a policy with a
// name that is this near to a known one is refused, and a person says what is meant.
func Mistakable(name string, candidates []string) string { return Name(name, candidates) }

// distance returns the number of edits, 0 to 2, between similar names, 3 if one of them
// only has an ending more, and a larger number for all others.
func distance(a, b string) int {
	const ending, far = 3, 1 << 10
	lengthA, lengthB := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	limit, short := 2, min(lengthA, lengthB)
	if short <= 4 {
		limit = 1
	}
	if max(lengthA, lengthB)-short > ending {
		return far
	}
	switch edits := levenshtein.Distance(a, b, nil); {
	case swapped(a, b):
		return 1
	case edits <= limit && edits < short:
		return edits
	case short >= 4 && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a)):
		return ending
	default:
		return far
	}
}

// swapped says whether exchanging two neighbours turns a into b.
func swapped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	if len(x) != len(y) {
		return false
	}
	for i := 0; i+1 < len(x); i++ {
		if x[i] != y[i] {
			return x[i] == y[i+1] && x[i+1] == y[i] && string(x[i+2:]) == string(y[i+2:])
		}
	}
	return false
}
