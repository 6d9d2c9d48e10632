package lint

import (
	"fmt"
	"strings"

	"gavel/internal/pathglob"
)

// dead explains why an allowlist entry never counts, or returns "". Only the first entry that
// matches a program counts, and entries for every agent come before an agent's own. Two
// patterns are compared only for equality.
func dead(list []detailedEntry, i int) (message, fix string) {
	one := list[i]
	for j, other := range list {
		if j == i || !before(list, j, i) || !matches(other.pattern, one.pattern) {
			continue
		}
		fix = "delete it"
		if len(one.args) > 0 {
			fix = "move its args into that entry, or move it before that entry"
		}
		return fmt.Sprintf("pattern %q has no effect: the first matching entry counts, and %s %q matches first",
			one.pattern, other.path, other.pattern), fix
	}
	return "", ""
}

// before reports whether the entry at j is tried before the one at i.
func before(list []detailedEntry, j, i int) bool {
	const everybody = "tools.exec.allowlist"
	of, other := listOf(list[i].path), listOf(list[j].path)
	return of == other && j < i || of != other && other == everybody
}

// matches reports whether a pattern matches everything that another one matches. It recognises
// only equal patterns and single files.
func matches(wide, narrow string) bool {
	if wide == narrow {
		return true
	}
	if !strings.ContainsAny(wide, "*?") || strings.ContainsAny(narrow, "*?") {
		return false
	}
	_, found := pathglob.New([]string{wide}).First(narrow, "")
	return found
}

// listOf returns the path of the list that contains an entry.
func listOf(path string) string { return path[:strings.LastIndexByte(path, '[')] }
