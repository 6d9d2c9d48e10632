package hazard

import (
	"slices"
	"strings"
)

// anyNumber stands for one or more digits in a path. No name in the tables contains it, so such a
// path never matches an exception. Secret names are matched with it here.
const anyNumber = "\x02"

// maxName is the longest name of a file that is compared, in bytes.
const maxName = 255

// mayNameSecret reports whether a lower-case path names a secret for some value of its numbers.
func (p *Paths) mayNameSecret(full string) bool {
	for name := range strings.SplitSeq(full, "/") {
		if !strings.Contains(name, anyNumber) {
			continue
		}
		if len(name) > maxName || slices.ContainsFunc(p.secrets.all, func(pattern string) bool { return mayMatch(pattern, name) }) {
			return true
		}
	}
	return false
}

// mayMatch reports whether a pattern matches a name for some value of its numbers. What follows a
// bracket or a backslash in the pattern may be anything.
func mayMatch(pattern, name string) bool {
	if pattern == "" {
		return name == ""
	}
	if pattern[0] == '*' {
		return mayMatch(pattern[1:], name) || name != "" && mayMatch(pattern, name[1:])
	}
	if name == "" {
		return false
	}
	item, rest := pattern[0], pattern[1:]
	if item == '[' || item == '\\' {
		return true // too costly to examine further
	}
	if name[:1] == anyNumber && (item == '?' || '0' <= item && item <= '9') {
		return mayMatch(rest, name) || mayMatch(rest, name[1:])
	}
	return (item == '?' || item == name[0]) && mayMatch(rest, name[1:])
}
