package hazard

import (
	"path"
	"strings"

	"gavel/analyzer/host"
	"gavel/analyzer/treescan"
)

// Surroundings describe where and how a command would run. Directories are absolute, or "" if unknown.
type Surroundings struct {
	Dir, Home  string
	Terminal   bool      // the output of the command may go to a terminal
	Typed      bool      // the input of the command may be typed at a terminal
	Workspaces [2]string // the workspace, under both of its paths
	Folds      bool      // file names are case-insensitive
	NoLookups  bool      // files cannot be looked up
	Host       *host.Limited
	Scanner    *treescan.Scanner    // searches for files that the policy denies to read; nil if there are none
	WriteLists *treescan.WriteLists // the policy's lists of files to write; nil if there are none
	Piped      bool                 // the input of the command certainly comes from a pipe
}

// inOwnDirectory reports whether a path is in the workspace or the home directory.
func (at *Surroundings) inOwnDirectory(full string) bool {
	return host.Within(full, at.Home) || at.inWorkspace(full)
}

// InRealWorkspace reports whether a real path is in the workspace.
func (at *Surroundings) InRealWorkspace(real string) bool {
	return real != "" && host.Within(real, at.Workspaces[0])
}

// inWorkspace reports whether a path is in the workspace.
func (at *Surroundings) inWorkspace(full string) bool {
	return host.Within(full, at.Workspaces[0]) || host.Within(full, at.Workspaces[1])
}

// climb returns the real path of a path with "..", if it is known. A working directory that does not exist yet
// cannot be a link once an earlier command has created it: otherwise, cd to it is refused.
func (at *Surroundings) climb(text string) (real string, known bool) {
	switch {
	case at.NoLookups:
		return "", false
	case text[0] == '/':
		return at.Host.Resolve(text)
	case at.Dir == "":
		return "", false
	}
	dir := path.Clean(at.Dir)
	if at.Host.Kind(dir) != host.KindMissing {
		return at.Host.Resolve(dir + "/" + text)
	}
	if dir, known = at.Host.Resolve(dir); !known {
		return "", false
	}
	names := strings.Split(text, "/")
	for ; len(names) > 0 && (names[0] == ".." || names[0] == "." || names[0] == ""); names = names[1:] {
		dir = path.Join(dir, names[0])
	}
	return at.Host.Resolve(dir + "/" + strings.Join(names, "/"))
}
