package lint

import (
	"fmt"
	"strings"

	"gavel/internal/pathglob"
)

// dead explains why an allowlist entry never takes effect, and says how to fix it; "" if it may. Only
// the first entry that matches a program takes effect, and global entries come before an agent's own.
// Two patterns with wildcards are compared only for equality.
func dead(list []allowlistEntry, i int) (message, fix string) {
	entry := list[i]
	for j, other := range list {
		if j == i || !before(list, j, i) || !matches(other.pattern, entry.pattern) {
			continue
		}
		fix = "delete it"
		if len(entry.args) > 0 {
			fix = "move its args into that entry, or move it before that entry"
		}
		return fmt.Sprintf("pattern %q has no effect: the first matching entry counts, and %s %q matches first",
			entry.pattern, other.path, other.pattern), fix
	}
	return "", ""
}

// before reports whether the entry at j is tried before the one at i.
func before(list []allowlistEntry, j, i int) bool {
	const global = "tools.exec.allowlist"
	of, other := listOf(list[i].path), listOf(list[j].path)
	return of == other && j < i || of != other && other == global
}

// matches reports whether the pattern wide matches everything that narrow matches. It recognises only
// equal patterns, and single files as narrow.
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
