package private

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CheckPlace returns an [Error] unless only this user and root can replace a file in a
// directory: the directory and every directory above it belong to one of the two, and group
// and others cannot write to any of them, except in sticky directories such as /tmp. If the
// path contains links, the directory of each link is checked too, with those above it.
func CheckPlace(dir string) error {
	real, err := walk(dir)
	if err != nil {
		return err
	}
	return checkOne(real)
}

// CheckPath is CheckPlace for the directories on the way to a file, and to what links on the way
// lead to. What it says about the file is only that nobody else can put another one there: its
// owner and its mode are the caller's to check.
func CheckPath(path string) error {
	_, err := walk(path)
	return err
}

// maxLinks is how many links a path may have, as in Linux.
const maxLinks = 40

// walk follows a path as the system does, and checks each directory before it looks into it. It
// returns where the path leads.
func walk(path string) (real string, err error) {
	path, err = filepath.Abs(path)
	if err != nil {
		return "", err
	}
	at := root(path)
	rest := parts(path)
	for links := 0; len(rest) > 0; {
		if err := checkOne(at); err != nil {
			return "", err
		}
		if rest[0] == ".." {
			at, rest = filepath.Dir(at), rest[1:]
			continue
		}
		next := filepath.Join(at, rest[0])
		info, err := os.Lstat(next)
		if err != nil {
			return "", err
		}
		rest = rest[1:]
		if info.Mode()&fs.ModeSymlink == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("%s: too many links", path)
		}
		target, err := linkOf(next, info)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(target) {
			at = root(target)
		}
		rest = append(parts(target), rest...)
	}
	return at, nil
}

// linkOf is what a link leads to. In a directory such as /tmp, its owner may replace it.
func linkOf(path string, info fs.FileInfo) (string, error) {
	if !Owned(info) && !ownedByRoot(info) {
		return "", &Error{path, "it is a link of another user, who can make it lead elsewhere", "name what it leads to, or create the link yourself"}
	}
	return os.Readlink(path)
}

func root(path string) string { return filepath.VolumeName(path) + string(filepath.Separator) }

// parts are the names in a path, with "..", which leads up from where a link has led.
func parts(path string) (list []string) {
	for part := range strings.SplitSeq(path[len(filepath.VolumeName(path)):], string(filepath.Separator)) {
		if part != "" && part != "." {
			list = append(list, part)
		}
	}
	return list
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
