package unwrap

import "gavel/analyzer/fileglob"

// Globs are expanded as the shell would expand them, up to a limit: each name that matches is then
// examined like a literal word. Files may change until the command runs; only changes by other commands
// of the same text are taken into account. Where it runs, the names are compared once more.

// expandGlob returns the files that match a glob. It is not OK unless all of them were found.
func (u *unwrapper) expandGlob(pattern, dir string) fileglob.Expansion {
	if u.Facts.Claimed {
		return fileglob.Expansion{}
	}
	return fileglob.Expand(u.Host, pattern, dir, u.Facts.Home, &u.entriesRead)
}
