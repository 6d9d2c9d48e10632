package cases

import "os"

// All reports whether tests are to enumerate everything: make test-all sets GAVEL_TEST=all.
// Without it, properties that are checked over long lists are checked over some of each.
func All() bool { return os.Getenv("GAVEL_TEST") == "all" }

// Some returns every n-th element of a list, the first one included, and with
// GAVEL_TEST=all the whole list.
func Some[T any](list []T, n int) []T {
	if All() {
		return list
	}
	var some []T
	for i := 0; i < len(list); i += n {
		some = append(some, list[i])
	}
	return some
}
