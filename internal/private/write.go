package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CreateFile creates a file with a content, completely or not at all, even after a crash. An
// existing file or link stays unchanged, and is fs.ErrExist. Mode is 0600 for a secret.
func CreateFile(path string, content []byte, mode fs.FileMode) error {
	return place(path, content, mode, moveNew)
}

// ReplaceFile is CreateFile for a file that replaces an existing one. It follows no link; the
// file replaces the link.
func ReplaceFile(path string, content []byte, mode fs.FileMode) error {
	return place(path, content, mode, os.Rename)
}

// place writes a file beside its place, syncs it, puts it there, and syncs the directory.
func place(path string, content []byte, mode fs.FileMode, put func(from, to string) error) error {
	if len(content) == 0 {
		return &Error{path, "there is nothing to write to it", "report this: Gavel writes no empty files"}
	}
	temp, err := os.CreateTemp(filepath.Dir(path), temporary+"*") // mode 0600, exclusive
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) //nolint:errcheck // after a rename it is gone, and a leftover harms nobody
	_, err = temp.Write(content)
	if err := errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err != nil {
		return err
	}
	if err := put(temp.Name(), path); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// temporary begins the names of files that are being written.
const temporary = ".new-"

// Tidy removes the temporary files of a killed process from a directory. Nobody may be
// writing there at the time. A missing directory is tidy.
func Tidy(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for _, entry := range entries {
		info, lost := entry.Info()
		if !strings.HasPrefix(entry.Name(), temporary) || lost != nil || !Owned(info) || !info.Mode().IsRegular() && !info.IsDir() {
			continue
		}
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, entry.Name())))
	}
	return err
}
