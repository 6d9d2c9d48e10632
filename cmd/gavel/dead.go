package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gavel/internal/pathglob"
)

// dead says why an entry of an allowlist never counts: the first entry that matches a
// program counts, those for every agent before an agent's own, and another one matches
// first. It is "" for every other entry. Of two patterns only equal ones are compared.
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

// before reports whether the entry at j is looked at before the one at i.
func before(list []detailedEntry, j, i int) bool {
	const everybody = "tools.exec.allowlist"
	of, other := listOf(list[i].path), listOf(list[j].path)
	return of == other && j < i || of != other && other == everybody
}

// matches reports whether a pattern matches all that another one matches, as far as
// equal patterns and single files tell.
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

// listOf is the path of the list that an entry is in.
func listOf(path string) string { return path[:strings.LastIndexByte(path, '[')] }

// absent reports whether a pattern names one file, and there is no such file here.
func (a *app) absent(pattern string) bool {
	if home := a.getenv("HOME"); strings.HasPrefix(pattern, "~/") && filepath.IsAbs(home) {
		pattern = home + pattern[1:]
	}
	if !filepath.IsAbs(pattern) || strings.ContainsAny(pattern, "*?") {
		return false
	}
	_, err := os.Stat(pattern)
	return os.IsNotExist(err)
}
