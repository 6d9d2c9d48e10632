package private

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CreateFile makes a file of a content, whole or not at all: who finds it finds all of
// it, and a crash leaves none. What is there already, a link as well, stays as it is,
// and is fs.ErrExist. Mode is what others may do with it; 0600 for a secret.
func CreateFile(path string, content []byte, mode fs.FileMode) error {
	return place(path, content, mode, moveNew)
}

// ReplaceFile is the same for a file that takes the place of what is there. It follows
// no link: the file stands where the link stood.
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

// Tidy removes from a directory what a process that was killed was writing there. Nobody
// may be writing there at the time. A directory that is missing is tidy.
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

// CheckPlace returns an [Error] unless nobody but this user and root can put another
// file in the place of one of ours in a directory: it and every directory above it belong
// to one of the two, and group and others may not write to any, or, as in /tmp, may not
// touch each other's files. Where links lead there, what holds them is judged as well.
func CheckPlace(dir string) error {
	named, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(named)
	if err != nil {
		return err
	}
	for _, path := range []string{real, named} {
		for {
			if err := checkOne(path); err != nil {
				return err
			}
			above := filepath.Dir(path)
			if above == path {
				break
			}
			path = above
		}
	}
	return nil
}

func checkOne(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case err != nil:
		return err
	case !info.IsDir():
		return &Error{dir, "it is not a directory", "name another one"}
	case !Owned(info) && !ownedByRoot(info):
		return &Error{dir, "it belongs to another user, who can replace its contents", "use a directory that belongs to this user"}
	case info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0:
		return &Error{dir, "others can replace its contents (" + info.Mode().String() + ")", "run chmod go-w " + dir + ", or use another directory"}
	}
	return nil
}
