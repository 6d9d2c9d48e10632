package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel/analyzer/host"
)

// Globs are expanded as the shell would expand them, up to a limit: each name that matches is then
// examined like a literal word. Files may change until the command runs; only changes by other commands
// of the same text are taken into account.

// The limits on what is expanded for one call.
const (
	maxNames   = 1024   // names that globs expand to
	maxEntries = 20_000 // names in all directories
)

// match is one file that matches a glob.
type match struct {
	text, full string
	real       string // the same with every symbolic link resolved; "" if that was not looked up
}

// glob is the expansion of one glob.
type glob struct {
	*unwrapper
	matches []match
	listed  []string // real paths of the directories that were listed
	absent  []string // real paths of directories that do not exist, or are files
	ok      bool
}

// expandGlob returns the files that match a glob. It is not ok unless all of them were found.
func (u *unwrapper) expandGlob(pattern, dir string) glob {
	e := glob{unwrapper: u, ok: !u.Facts.Claimed && !strings.ContainsAny(pattern, "{}\\\n$`\"'")}
	if rest, home := strings.CutPrefix(pattern, "~/"); home {
		pattern, e.ok = u.Facts.Home+"/"+rest, e.ok && u.Facts.Home != ""
	}
	first := strings.IndexAny(pattern, "*?[")
	if !e.ok || first < 0 || host.PathTooLong(pattern) {
		return glob{}
	}
	begin := pattern[:strings.LastIndexByte(pattern[:first], '/')+1]
	full := host.In(dir, begin)
	if full == "" {
		return glob{}
	}
	e.walk(match{text: begin, full: full}, strings.Split(pattern[len(begin):], "/"))
	return e
}

// walk expands the remaining names of a glob in a directory.
func (e *glob) walk(at match, names []string) {
	if len(e.matches) > maxNames {
		e.ok = false
	}
	switch {
	case !e.ok:
		return
	case len(names) == 0:
		e.matches = append(e.matches, at)
		return
	case !strings.ContainsAny(names[0], "*?["):
		kind := e.Host.Kind(path.Clean(at.full + names[0]))
		if e.ok = kind != host.KindUnknown; kind != host.KindMissing {
			e.walk(at.next(names, ""), names[1:])
		}
	default:
		e.expandName(at, names)
	}
}

// next returns the match that a name leads to; real is its real path, or "".
func (m match) next(names []string, real string) match {
	end := ""
	if len(names) > 1 {
		end = "/"
	}
	return match{m.text + names[0] + end, m.full + names[0] + end, real}
}

// expandName expands a name with wildcards.
func (e *glob) expandName(at match, names []string) {
	real, known := e.Host.Resolve(path.Clean(at.full))
	if !known {
		e.ok = false
		return
	}
	switch e.Host.Kind(real) {
	case host.KindDirectory:
	case host.KindUnknown:
		e.ok = false
		return
	default:
		e.absent = append(e.absent, real)
		return
	}
	e.listed = append(e.listed, real)
	entries, ok := e.Host.Entries(real, maxEntries-e.entriesRead)
	if e.entriesRead += len(entries); !ok || e.entriesRead >= maxEntries {
		e.ok = false
		return
	}
	slices.SortFunc(entries, func(a, b host.Entry) int { return strings.Compare(a.Name, b.Name) })
	for _, item := range entries {
		further := len(names) > 1
		if !mayMatch(names[0], item.Name) || further && item.Kind != host.KindDirectory && !item.Link {
			continue
		}
		there := host.Join(real, item.Name)
		if item.Link {
			if further && e.Host.Kind(there) != host.KindDirectory {
				continue
			}
			there = ""
		}
		e.walk(at.next(slices.Concat([]string{item.Name}, names[1:]), there), names[1:])
	}
}

// mayMatch reports whether a name may match a glob for one name. Any character matches brackets.
func mayMatch(pattern, name string) bool {
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
