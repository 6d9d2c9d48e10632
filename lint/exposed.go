package lint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"gavel"
)

// maxExposed limits how many files of a policy are checked.
const maxExposed = 10_000

// Exposed warns about the files and directories of a policy that users other than the owner can
// change, because anyone who can change a policy decides. It also checks the directories above the
// policy, unless only the owner of a file there can replace it (the sticky bit).
func Exposed(policy string) []gavel.Problem {
	full, err := filepath.Abs(policy)
	if err != nil || policy == "" { // the shipped policy has no files
		return nil
	}
	var wrong []gavel.Problem
	look := func(path string, info fs.FileInfo) {
		who := ""
		switch mode := info.Mode(); {
		case mode&fs.ModeSymlink != 0, mode.IsDir() && mode&fs.ModeSticky != 0:
		case mode.Perm()&0o002 != 0:
			who = "everybody"
		case mode.Perm()&0o020 != 0:
			who = "a group"
		}
		if who != "" && !readOnly(path) {
			wrong = append(wrong, gavel.Problem{File: path, Message: fmt.Sprintf("%s can write here, and so can change what the policy decides", who), Fix: "run chmod go-w " + path})
		}
	}
	for dir := filepath.Dir(full); ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil {
			look(dir, info)
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	left := maxExposed
	_ = filepath.WalkDir(full, func(path string, entry fs.DirEntry, err error) error { // what cannot be read is the loader's to report
		if left--; left == 0 {
			return fs.SkipAll
		}
		if err != nil {
			if errors.Is(err, fs.ErrPermission) && entry != nil && entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := entry.Info(); err == nil {
			look(path, info)
		}
		return nil
	})
	return wrong
}
