package hostconfig

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// restore makes a change that removes Gavel's hooks put the file back as it was, byte for byte,
// if that is known: nothing else has changed since a backup, or since there was no file.
// Otherwise the change only removes the hooks.
func (m Machine) restore(c *Change, host Host, level Level) {
	c.restore(func(was []byte) []byte {
		for _, m.Unattended = range []bool{false, true} {
			if with, err := m.edited(host, level, c.Path, was, true); err == nil && bytes.Equal(with, c.Before) {
				return with
			}
		}
		return nil
	})
}

// restore does that for a file which install makes of an older one.
func (c *Change) restore(install func(was []byte) []byte) {
	name, err := target(c.Path)
	if err != nil {
		return
	}
	backups, err := filepath.Glob(globbed(name) + suffix + "*")
	if err != nil {
		return
	}
	slices.SortFunc(backups, func(a, b string) int { return newer(b, a) })
	for _, backup := range append(backups, "") {
		var was []byte
		if backup != "" {
			if was, err = read(backup); err != nil || was == nil {
				continue
			}
		}
		if bytes.Equal(install(was), c.Before) {
			c.After, c.Restores, c.Backup = was, true, backup
			return
		}
	}
}

// newer compares the names of two backups of a file: later ones have a longer or larger number.
func newer(a, b string) int {
	if len(a) != len(b) {
		return len(a) - len(b)
	}
	return strings.Compare(a, b)
}

// globbed writes a path so that Glob takes it as it stands.
func globbed(path string) string {
	return strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]", `\`, `[\\]`).Replace(path)
}

// Done says what has been done to a file, for people. backup is where the old one was kept, or "".
func (c Change) Done(backup string) string {
	switch {
	case c.After == nil && c.Restores:
		return "removed, because there was none before"
	case c.After == nil:
		return "removed" + kept(backup)
	case c.Restores:
		return "as it was before Gavel"
	}
	return "written" + kept(backup)
}

func kept(backup string) string {
	if backup == "" {
		return ""
	}
	return fmt.Sprintf("; the old file is %s", backup)
}
