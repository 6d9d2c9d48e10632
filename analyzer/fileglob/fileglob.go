// Package fileglob expands globs as a shell would, up to a limit. The analyzer examines the files that
// match like literal words, and an enforcement point compares them again when the command runs.
package fileglob

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// The limits on what is expanded.
const (
	maxNames   = 1024   // names that one glob expands to
	MaxEntries = 20_000 // names in all directories
)

// Match is one file that matches a glob.
type Match struct {
	Text string // as the shell writes it
	Full string // absolute
	Real string // the same with every symbolic link resolved; "" if that was not looked up
}

// Expansion is what a glob expands to.
type Expansion struct {
	Matches []Match
	Listed  []string // real paths of the directories that were listed
	Absent  []string // real paths of directories that do not exist, or are files
	OK      bool     // every file that matches was found

	host host.Host
	read *int
}

// Expand returns the files that match a glob in a directory. home is the home directory, or "". read
// counts the names in all directories that were listed, up to [MaxEntries].
func Expand(h host.Host, pattern, dir, home string, read *int) Expansion {
	e := Expansion{host: h, read: read, OK: !strings.ContainsAny(pattern, "{}\\\n$`\"'")}
	if rest, below := strings.CutPrefix(pattern, "~/"); below {
		pattern, e.OK = home+"/"+rest, e.OK && home != ""
	}
	first := strings.IndexAny(pattern, "*?[")
	if !e.OK || first < 0 || host.PathTooLong(pattern) {
		return Expansion{}
	}
	begin := pattern[:strings.LastIndexByte(pattern[:first], '/')+1]
	full := host.In(dir, begin)
	if full == "" {
		return Expansion{}
	}
	e.walk(Match{Text: begin, Full: full}, strings.Split(pattern[len(begin):], "/"))
	return e
}

// Digest returns the hash of all names and of the real paths that they lead to, in lower-case hex. It
// is not ok if the real path of one is unknown, or the expansion is not complete.
func (e *Expansion) Digest() (digest string, ok bool) {
	sum := sha256.New()
	ok = e.OK
	for _, m := range e.Matches {
		real, known := m.Real, true
		if real == "" {
			real, known = e.host.Resolve(path.Clean(m.Full))
		}
		ok = ok && known
		sum.Write([]byte(m.Text + "\x00" + real + "\x00")) // names have no zero byte
	}
	return hex.EncodeToString(sum.Sum(nil)), ok
}

// walk expands the remaining names of a glob in a directory.
func (e *Expansion) walk(at Match, names []string) {
	if len(e.Matches) > maxNames {
		e.OK = false
	}
	switch {
	case !e.OK:
		return
	case len(names) == 0:
		e.Matches = append(e.Matches, at)
		return
	case !strings.ContainsAny(names[0], "*?["):
		kind := e.host.Kind(path.Clean(at.Full + names[0]))
		if e.OK = kind != host.KindUnknown; kind != host.KindMissing {
			e.walk(at.next(names, ""), names[1:])
		}
	default:
		e.expandName(at, names)
	}
}

// next returns the match that a name leads to; real is its real path, or "".
func (m Match) next(names []string, real string) Match {
	end := ""
	if len(names) > 1 {
		end = "/"
	}
	return Match{m.Text + names[0] + end, m.Full + names[0] + end, real}
}

// expandName expands a name with wildcards.
func (e *Expansion) expandName(at Match, names []string) {
	real, known := e.host.Resolve(path.Clean(at.Full))
	if !known {
		e.OK = false
		return
	}
	switch e.host.Kind(real) {
	case host.KindDirectory:
	case host.KindUnknown:
		e.OK = false
		return
	default:
		e.Absent = append(e.Absent, real)
		return
	}
	e.Listed = append(e.Listed, real)
	entries, ok := e.host.Entries(real, MaxEntries-*e.read)
	if *e.read += len(entries); !ok || *e.read >= MaxEntries {
		e.OK = false
		return
	}
	slices.SortFunc(entries, func(a, b host.Entry) int { return strings.Compare(a.Name, b.Name) })
	for _, item := range entries {
		further := len(names) > 1
		if !MayMatch(names[0], item.Name) || further && item.Kind != host.KindDirectory && !item.Link {
			continue
		}
		there := host.Join(real, item.Name)
		if item.Link {
			if further && e.host.Kind(there) != host.KindDirectory {
				continue
			}
			there = ""
		}
		e.walk(at.next(slices.Concat([]string{item.Name}, names[1:]), there), names[1:])
	}
}

// MayMatch reports whether a name may match a glob for one name. Any character matches brackets.
func MayMatch(pattern, name string) bool {
	if strings.HasPrefix(name, ".") && !strings.HasPrefix(pattern, ".") {
		return false
	}
	for {
		open := strings.IndexByte(pattern, '[')
		if open < 0 {
			break
		}
		// A pattern may continue behind any of the brackets that follow.
		end := strings.LastIndexByte(pattern[open:], ']')
		if end < 0 {
			pattern = strings.ReplaceAll(pattern, "[", "?")
			break
		}
		inside := pattern[open : open+end+1]
		wild := "?"
		if strings.Count(inside, "]") > 1 || strings.Count(inside, "[") > 1 {
			wild = "*"
		}
		pattern = pattern[:open] + wild + pattern[open+end+1:]
	}
	matched, err := path.Match(pattern, name)
	return matched || err != nil
}
