package unwrap

import (
	"path"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/shell"
)

// resolveHazards finds the files that hazards name.
func (u *unwrapper) resolveHazards(hazards []gavel.Hazard, dir string) {
	for i := range hazards {
		named := hazards[i].Real
		if named == "" || hazard.IsListedPath(&hazards[i]) {
			continue
		}
		hazards[i].Real = ""
		full := host.In(dir, named)
		if full == "" {
			continue
		}
		real, ok := u.Host.Resolve(full)
		switch {
		case ok:
			hazards[i].Real = real
		case hazards[i].Kind == "reads" && u.Scanner.Denies(full):
			hazards[i].Real = path.Clean(full) // it is denied, wherever it leads
		}
	}
}

// resolveRedirection finds the file of a redirection. dir is the directory in which the script begins.
func (u *unwrapper) resolveRedirection(f *shell.Redirection, dir string) {
	full := f.Target
	if f.Dynamic {
		full = u.expandHome(f.Word.HomePath())
	}
	if !f.Reads && !f.Writes || full == "" {
		return
	}
	if !u.Host.FitsPath(full) {
		return
	}
	if !path.IsAbs(full) {
		dir = u.directoryOf(f.Dir, dir)
	}
	if full = host.In(dir, full); full == "" {
		return
	}
	f.Path = path.Clean(full)
	if real, ok := u.Host.Resolve(full); ok && !strings.HasSuffix(full, "/") {
		f.Real = real
	}
}

// expandHome returns the path of a word that begins with ~/, if nothing else of it is expanded; "" for any
// other one. Nothing can set HOME, so that the shell finds the same.
func (u *unwrapper) expandHome(word string) string {
	rest, ok := strings.CutPrefix(word, "~/")
	if !ok || u.Facts.Home == "" || strings.Contains(rest, "~") {
		return ""
	}
	return u.Facts.Home + "/" + rest
}

// directoryOf returns the directory in which a command runs, or "" if unknown. After a cd it is the
// real path. The target of each cd is looked up once.
func (u *unwrapper) directoryOf(d shell.Directory, start string) string {
	if d.Unknown {
		return ""
	}
	if d.Last == nil {
		return start
	}
	key := cdSequence{d.Last, start}
	if known, ok := u.directories[key]; ok {
		return known
	}
	target := d.Last.To
	if d.Last.Home {
		target = u.expandHome(target)
	}
	to := u.changeDirectory(target, u.directoryOf(shell.Directory{Last: d.Last.Before}, start))
	if u.directories == nil {
		u.directories = map[cdSequence]string{}
	}
	u.directories[key] = to
	return to
}

// cdSequence is a sequence of directory changes from a starting directory.
type cdSequence struct {
	last  *shell.Step
	start string
}

// changeDirectory returns the directory that one cd leads to.
func (u *unwrapper) changeDirectory(to, dir string) string {
	full := host.In(dir, to)
	if to == "" || full == "" {
		return ""
	}
	real, ok := u.Host.Resolve(full)
	if !ok || strings.Contains(full, "..") && real != path.Clean(full) {
		return "" // for "..", shells shorten the text, and the kernel follows the directory
	}
	return real
}
