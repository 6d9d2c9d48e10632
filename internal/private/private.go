// Package private opens files that only the user of this process may access: keys, tokens,
// and addresses of others. A file that someone else could read, or could have put there, is
// an error, and so is one that is not a regular file.
//
// The checks are made on the open file, never on a name, so replacing the file in the
// meantime has no effect. The caller checks the parent directories; [CheckPlace] checks the
// last of them. Files are written completely or not at all, and never through a link.
package private

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Error says why a file is refused.
type Error struct {
	Path    string
	Problem string // what is wrong with it
	Fix     string // what to do
}

// Error returns the file, what is wrong with it, and what to do.
func (e *Error) Error() string { return e.Path + ": " + e.Problem + "; " + e.Fix }

// ReadFile returns the content of a private file, up to a limit in bytes. An [Error] says why
// it is refused; a missing file is fs.ErrNotExist.
func ReadFile(path string, limit int) ([]byte, error) {
	file, err := OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, err
	}
	if len(text) > limit {
		return nil, &Error{path, fmt.Sprintf("it is larger than %d bytes", limit), "check that it is the right file"}
	}
	return text, nil
}

// OpenFile is os.OpenFile for a private file. It does not follow a symbolic link at the end
// of path, and does not block on a pipe. Without os.O_TRUNC it does not modify a refused
// file.
func OpenFile(path string, flag int, perm fs.FileMode) (*os.File, error) {
	file, err := open(path, flag, perm)
	if err != nil {
		return nil, explained(path, err)
	}
	info, err := file.Stat()
	if err == nil {
		err = Check(path, info)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// explained says in our words why a file was not opened, where the file tells: the
// system's word for a link is "too many levels".
func explained(path string, err error) error {
	if info, lerr := os.Lstat(path); lerr == nil {
		if problem := Check(path, info); problem != nil {
			return problem
		}
	}
	return err
}

// Check returns an [Error] unless info, not followed, is of a regular file of this
// user's alone.
func Check(path string, info fs.FileInfo) error { return check(path, info, 0) }

// CheckPublic returns an [Error] unless info is of a regular file of this user or root that nobody
// else can write to. Others may read it.
func CheckPublic(path string, info fs.FileInfo) error {
	switch {
	case !info.Mode().IsRegular():
		return &Error{path, fmt.Sprintf("it is not a regular file (%s)", info.Mode()), "put a regular file there"}
	case !Owned(info) && !ownedByRoot(info):
		return &Error{path, "it belongs to another user", "create one that belongs to this user"}
	case info.Mode().Perm()&0o022 != 0:
		return &Error{path, fmt.Sprintf("others can write to it (%s)", info.Mode()), "run chmod go-w " + path}
	}
	return nil
}

// Links is how many names a file has in its file system; 0 where nothing says so.
func Links(info fs.FileInfo) uint64 { return links(info) }

// CheckDirectory is Check for a directory.
func CheckDirectory(path string, info fs.FileInfo) error { return check(path, info, fs.ModeDir) }

func check(path string, info fs.FileInfo, kind fs.FileMode) error {
	what, mode := "regular file", "600"
	if kind == fs.ModeDir {
		what, mode = "directory", "700"
	}
	switch {
	case info.Mode().Type() == fs.ModeSymlink:
		return &Error{path, "it is a symbolic link", "put the " + what + " itself there"}
	case info.Mode().Type() != kind:
		return &Error{path, fmt.Sprintf("it is not a %s (%s)", what, info.Mode()), "put a " + what + " there"}
	case !Owned(info):
		return &Error{path, "it belongs to another user", "create one that belongs to this user"}
	case kind == 0 && links(info) != 1:
		return &Error{path, fmt.Sprintf("it has %d hard links, through which others may read or replace it", links(info)), "create a new file, and remove the others: find -samefile " + path}
	case info.Mode().Perm()&0o077 != 0:
		return &Error{path, fmt.Sprintf("it is accessible to group or others (%s)", info.Mode()), "run chmod " + mode + " " + path}
	}
	return nil
}
