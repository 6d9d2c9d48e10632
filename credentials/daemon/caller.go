package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"gavel/internal/private"
)

// caller is who is at the other end of a connection, as the kernel says.
type caller struct {
	uid  uint32
	pid  int
	file fileID // of what its process executes
	exe  string // the path of it, for the log
	name string // the base name of argv[0], which the caller chooses; "" if it is not readable
}

// fileID is what tells one file from another.
type fileID struct{ device, inode uint64 }

// callers are the executables that may connect.
type callers struct {
	own   fileID // of this process, even when its file was replaced
	paths []string
}

var (
	errForeign    = errors.New("its executable is not one of the allowed callers")
	errUnreadable = errors.New("its executable cannot be examined")
)

// newCallers checks the paths of executables beside this process's own.
func newCallers(paths []string) (*callers, error) {
	own, err := ownFile()
	if err != nil {
		return nil, fmt.Errorf("examine the own executable: %w", err)
	}
	c := &callers{own: own}
	// After an update, the file at the own path is another one. Where others could put it there, only the
	// file that this process executes counts.
	if path, err := os.Executable(); err == nil && onlyOwners(path) == nil {
		c.paths = append(c.paths, path)
	}
	for _, path := range paths {
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return nil, fmt.Errorf("allow the caller %s: %w", path, err)
		}
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("allow the caller %s: give an absolute path", path)
		}
		if err := onlyOwners(real); err != nil {
			return nil, fmt.Errorf("allow the caller %s: %w", path, err)
		}
		c.paths = append(c.paths, real)
	}
	return c, nil
}

// onlyOwners refuses a file that others than root and this user could change or replace.
func onlyOwners(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return err
	case !info.Mode().IsRegular() || info.Mode().Perm()&0o022 != 0:
		return errors.New("it is not a regular file that only its owner can change")
	}
	return private.CheckPlace(filepath.Dir(path))
}

// allowed reports whether an executable may connect. Files are compared, not names: a file of
// another mount namespace may have any name.
func (c *callers) allowed(file fileID) bool {
	if file == (fileID{}) {
		return false
	}
	return file == c.own || slices.ContainsFunc(c.paths, func(path string) bool {
		now, err := fileAt(path)
		return err == nil && now == file
	})
}

// verify says whether a caller may be served. Without an executable that can be examined it may
// only if the configuration says so.
func (c *callers) verify(who *caller, examined error, unverified bool) error {
	switch {
	case examined != nil && unverified:
		return nil
	case examined != nil:
		return errors.Join(errUnreadable, examined)
	case !c.allowed(who.file):
		return fmt.Errorf("%w: %s", errForeign, who.exe)
	}
	return nil
}

// mayCheck says whether a caller may ask what credentials there are. The name is the caller's own
// choice, so that it only keeps accidents away.
func (c *callers) mayCheck(who *caller, examined error) bool {
	return examined == nil && c.allowed(who.file) && slices.Contains([]string{"gavel", "claw-wrap"}, who.name)
}
