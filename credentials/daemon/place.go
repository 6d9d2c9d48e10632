package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gavel/internal/private"
)

// The names of directories for temporary files, and of the lock in each.
const (
	tempPrefix = "gavel-credentials-"
	lockName   = "lock"
)

// tempDir is a directory of this daemon alone. A lock tells that it is in use, so that daemons
// remove the directories of killed ones, and not of one another.
type tempDir struct {
	path string
	lock *os.File
}

func newTempDir(base string) (*tempDir, error) {
	if base == "" {
		base = os.TempDir()
	}
	sweep(base)
	path, err := os.MkdirTemp(base, tempPrefix) // mode 0700
	if err != nil {
		return nil, fmt.Errorf("make a directory for temporary files: %w", err)
	}
	lock, err := os.OpenFile(filepath.Join(path, lockName), os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err == nil {
		err = flock(lock)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("lock the directory for temporary files: %w", err), os.RemoveAll(path))
	}
	return &tempDir{path, lock}, nil
}

// sweep removes the directories of daemons that were killed. What does not belong to this user, or
// is in use, stays.
func sweep(base string) {
	found, _ := filepath.Glob(filepath.Join(base, tempPrefix+"*")) // the pattern is right
	for _, path := range found {
		info, err := os.Lstat(path)
		if err != nil || private.CheckDirectory(path, info) != nil {
			continue
		}
		lock, err := private.OpenFile(filepath.Join(path, lockName), os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) && time.Since(info.ModTime()) > time.Minute {
			_ = os.RemoveAll(path) // it was killed between two calls
		}
		if err != nil {
			continue
		}
		if flock(lock) == nil {
			_ = os.RemoveAll(path)
		}
		_ = lock.Close()
	}
}

func (t *tempDir) remove() error { return errors.Join(os.RemoveAll(t.path), t.lock.Close()) }

// file returns a file without a name, which ends with its descriptor.
func (t *tempDir) file() (*os.File, error) {
	file, err := os.CreateTemp(t.path, "spool-") // mode 0600
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// config writes the configuration file of one run, and returns the directory for
// XDG_CONFIG_HOME. The caller removes it.
func (t *tempDir) config(subdir, name, text string) (dir string, err error) {
	dir, err = os.MkdirTemp(t.path, "config-") // mode 0700, whatever the umask
	if err != nil {
		return "", err
	}
	inner := filepath.Join(dir, filepath.FromSlash(subdir))
	if err = os.MkdirAll(inner, 0o700); err == nil {
		err = os.WriteFile(filepath.Join(inner, name), []byte(text), 0o600)
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}
