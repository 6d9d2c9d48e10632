package hazard

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/argv"
	"gavel/analyzer/host"
	"gavel/analyzer/treescan"
)

// Surroundings are where a command would run: absolute directories, or "" if unknown.
type Surroundings struct {
	Dir, Home  string
	Terminal   bool      // the output of the command may go to a terminal
	Typed      bool      // the input of the command may be typed at a terminal
	Workspaces [2]string // the workspace, under both of its paths
	Folds      bool      // file names are case-insensitive
	NoLookups  bool      // nothing can be looked up
	Host       *host.Limited
	Scanner    *treescan.Scanner    // what the policy denies to read; nil for nothing
	WriteLists *treescan.WriteLists // what it says of files that are written; nil for nothing
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

// outside reports whether a text is a path that leads out of the workspace, or may lead there:
// relative paths do while the directory is unknown, and every path does while the workspace is.
// real is the absolute path; "" if it is unknown.
func (p *Paths) outside(text string, at Surroundings) (real string, outside bool) {
	text = strings.TrimSuffix(text, argv.Tilde)
	if scheme, rest, isURL := strings.Cut(text, "://"); isURL {
		if p.address(scheme, text, at) {
			return "", false
		}
		if strings.HasSuffix(strings.ToLower(scheme), "file") && !host.Climbs(rest) {
			text = "/" + strings.TrimLeft(rest, "/")
		}
	} else if scheme, rest, ok := strings.Cut(text, ":"); ok && strings.EqualFold(scheme, "file") {
		text = rest
	}
	if text == "" || len(text) > host.MaxPath {
		return "", false
	}
	if text[0] == '~' && (at.Home == "" || text != "~" && text[1] != '/') {
		return "", true // in a home directory that can only be guessed
	}
	full := p.full(text, at)
	if full != "" && (p.open[full] || at.inWorkspace(full)) {
		return "", false
	}
	return full, true
}

// full is the absolute path that a text is as a whole, as far as it is known: of one that is
// produced at run time it is the directory that it begins with.
func (p *Paths) full(text string, at Surroundings) string {
	text = strings.TrimSuffix(text, argv.Tilde)
	if known, _, made := strings.Cut(text, argv.Unknown); made {
		text = known[:strings.LastIndexByte(known, '/')+1]
	}
	if text == "" || len(text) > host.MaxPath {
		return at.Dir
	}
	if full, ok := p.rooted(text, at); ok {
		return full
	}
	if at.Dir == "" {
		return ""
	}
	return path.Join(at.Dir, text)
}

// denied returns the file that a text names, as a whole or in a part, if the policy denies to read
// it.
func (p *Paths) denied(text string, at Surroundings) (file string, denied bool) {
	if at.Scanner == nil || strings.Contains(text, argv.Unknown) && !strings.HasSuffix(text, argv.Tilde) {
		return "", false
	}
	urls, _ := expanded(strings.TrimSuffix(text, argv.Tilde))
	for _, one := range urls {
		if scheme, _, isURL := strings.Cut(one, "://"); isURL && p.address(scheme, one, at) {
			one = scheme[:max(0, strings.LastIndexAny(scheme, joints))] // the part before an address may be a file
		}
		for part := range parts(one) {
			if file = p.full(part, at); part != "" && at.Scanner.Denies(file) {
				return path.Clean(file), true
			}
		}
	}
	return "", false
}

// Listed returns the hazard of showing the names in a directory, if it is one.
func (p *Paths) Listed(text string, at Surroundings) (gavel.Hazard, bool) {
	full := p.full(text, at)
	if full == "" {
		return gavel.Hazard{}, false
	}
	return p.Behind(path.Clean(full), at)
}

// Behind returns the hazard of what a link leads to, if it is one.
func (p *Paths) Behind(real string, at Surroundings) (gavel.Hazard, bool) {
	if at.Scanner.Denies(real) {
		return gavel.Hazard{Kind: "reads", Option: OptionDenied, Real: real}, true
	}
	if option := p.Absolute(real, at); option != "" {
		return gavel.Hazard{Kind: "reads", Option: option, Real: real}, true
	}
	if full, outside := p.outside(real, at); outside {
		return gavel.Hazard{Kind: kindElsewhere, Option: optionOutside, Real: full}, true
	}
	return gavel.Hazard{}, false
}
