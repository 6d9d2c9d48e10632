package hostconfig

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Apply writes a change, and returns the path of the backup, if there was a file. A file that
// was changed since the plan was made is an error, and so is one that nobody may write. A symbolic
// link stays one.
func (c Change) Apply() (backup string, err error) {
	name, err := target(c.Path)
	if err != nil {
		return "", err
	}
	now, err := read(name)
	if err != nil {
		return "", err
	}
	if (now == nil) != (c.Before == nil) || !bytes.Equal(now, c.Before) {
		return "", fmt.Errorf("write %s: it has just been changed by another program; try again", c.Path)
	}
	mode := c.Mode
	if info, err := os.Stat(name); err == nil {
		if mode = info.Mode().Perm(); mode&0o222 == 0 {
			return "", fmt.Errorf("write %s: it is read-only, so it was left unchanged; make it writable (chmod u+w), and try again", c.Path)
		}
	}
	if c.Before != nil && !c.Restores {
		if backup, err = keep(name, c.Before, mode); err != nil {
			return "", err
		}
	}
	if c.After == nil {
		return backup, os.Remove(name)
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "", fmt.Errorf("create the directory of a host's settings: %w", err)
	}
	if err := replace(name, c.After, mode); err != nil || c.Backup == "" {
		return backup, err
	}
	return backup, os.Remove(c.Backup)
}

// target returns the file that a path leads to. A link to a file that is gone is an error: it
// would be replaced by a file.
func target(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		return "", fmt.Errorf("write %s: it is a link to a file that is not there; create that file, or remove the link", path)
	}
	return path, nil
}

// suffix is the suffix of backups.
const suffix = ".before-gavel"

// keep writes a backup beside the file, under a name that is free.
func keep(name string, text []byte, mode fs.FileMode) (string, error) {
	for i := 0; ; i++ {
		backup := name + suffix
		if i > 0 {
			backup = fmt.Sprintf("%s.%d", backup, i)
		}
		file, err := os.OpenFile(backup, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if errors.Is(err, fs.ErrExist) {
			if kept, err := os.ReadFile(backup); err == nil && bytes.Equal(kept, text) {
				return backup, nil
			}
			continue
		}
		if err != nil {
			return "", fmt.Errorf("back up a host's settings: %w", err)
		}
		_, err = file.Write(text)
		return backup, errors.Join(err, file.Close())
	}
}

// replace writes a file as a whole: a host that reads it meanwhile sees the old one or the new.
func replace(name string, text []byte, mode fs.FileMode) error {
	file, err := os.CreateTemp(filepath.Dir(name), ".gavel-*")
	if err != nil {
		return fmt.Errorf("write a host's settings: %w", err)
	}
	_, err = file.Write(text)
	err = errors.Join(err, file.Chmod(mode), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", name, errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}

// contextLines is how many unchanged lines a diff shows around a change.
const contextLines = 3

// Diff shows a change for people: the lines that go and come, from the first difference to the
// last, with a few around them.
func (c Change) Diff() string {
	if !c.Changed() {
		return ""
	}
	was, is := lines(c.Before), lines(c.After)
	from := 0
	for from < len(was) && from < len(is) && was[from] == is[from] {
		from++
	}
	end := 0
	for end < len(was)-from && end < len(is)-from && was[len(was)-1-end] == is[len(is)-1-end] {
		end++
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--- %s\n+++ %s\n", nameOf(c.Path, c.Before), nameOf(c.Path, c.After))
	first, last := max(0, from-contextLines), min(len(was), len(was)-end+contextLines)
	fmt.Fprintf(&b, "@@ line %d @@\n", first+1)
	show := func(sign string, list []string) {
		for _, line := range list {
			b.WriteString(sign + line + "\n")
		}
	}
	show(" ", was[first:from])
	show("-", was[from:len(was)-end])
	show("+", is[from:len(is)-end])
	show(" ", was[len(was)-end:last])
	return b.String()
}

func nameOf(path string, text []byte) string {
	if text == nil {
		return "/dev/null"
	}
	return path
}

func lines(text []byte) []string {
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
}
