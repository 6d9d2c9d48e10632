package host

import (
	"errors"
	"path"
	"slices"
	"strings"
)

// errPerProcess says that a path leads through a link of /proc, which is another one in each process.
var errPerProcess = errors.New("the path depends on the process that opens it")

// PerProcess reports whether a path may name a different file in each process, as below /proc, or a
// network connection of a shell, as /dev/tcp does. So does a path that passes through such a directory:
// /dev/fd/../cwd is the working directory of the process that opens it.
func PerProcess(absolute string) bool {
	if !strings.Contains(absolute, "proc") && !strings.Contains(absolute, "dev") {
		return false
	}
	at := "/"
	for name := range strings.SplitSeq(absolute, "/") {
		if at = path.Join(at, name); isPerProcess(at) {
			return true
		}
	}
	return false
}

// isPerProcess reports whether a clean path is a tree in which each process finds its own files.
func isPerProcess(clean string) bool {
	switch clean {
	case "/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tcp", "/dev/udp":
		return true
	default:
		return false
	}
}

// BehindProcess returns what follows a link of /proc to a directory of a process, such as
// /proc/self/root: an absolute, clean path. If rooted is true, that path is in the root of the process;
// otherwise it is in an unknown directory. It is not ok for any other path.
func BehindProcess(absolute string) (rest string, rooted, ok bool) {
	var names []string
	for name, rest := "", absolute; rest != ""; {
		name, rest, _ = strings.Cut(rest, "/")
		switch name {
		case "", ".":
			continue
		case "..":
			names = names[:max(0, len(names)-1)]
			continue
		}
		if names = append(names, name); leadsOut(names) {
			return path.Clean("/" + rest), name == "root", true
		}
	}
	return "", false, false
}

// leadsOut reports whether the names of a path are a link of /proc to a directory of a process: its root,
// its working directory, or a directory that it has opened.
func leadsOut(names []string) bool {
	if names[0] == "dev" {
		names = slices.Concat([]string{"proc", "self"}, names[1:])
	}
	if len(names) > 4 && names[2] == "task" {
		names = slices.Concat(names[:2], names[4:])
	}
	switch {
	case len(names) < 3 || names[0] != "proc":
		return false
	case len(names) == 3:
		return names[2] == "root" || names[2] == "cwd"
	default:
		return len(names) == 4 && names[2] == "fd"
	}
}
