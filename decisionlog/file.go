package decisionlog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"gavel/internal/private"
)

// othersWrite is the permission bits by which others than the owner may write.
const othersWrite fs.FileMode = 0o022

// Kinds of audit events about the log itself.
const (
	kindRepaired  = "log.repaired"  // the last line was cut in half, and is ended now
	kindReopened  = "log.reopened"  // another process renamed, removed or replaced the file
	kindTruncated = "log.truncated" // another process truncated the file
	kindPruned    = "log.pruned"    // old files were removed
)

// maxTorn limits how much of an incomplete last line is examined.
const maxTorn = 1 << 20

// file is a log file that is appended to and rotated. It is always the file that path names,
// which is checked before each write, so renaming or removing it loses no later record.
type file struct {
	path          string
	most          int64 // bytes, at which it is rotated
	backups, days int   // how many old files are kept, and how long; 0 is all, forever
	now           func() time.Time
	note          func(kind string, detail map[string]any) []byte // an audit event as a line
	logger        *slog.Logger
	metrics       *metrics

	out    *os.File // nil when it is not open
	opened fs.FileInfo
	size   int64
	torn   bool      // what was written last is half a line
	why    string    // why the last file was left, until that is recorded
	swept  time.Time // when old files were last looked for
}

// Ready makes sure that path names the open file, and that the file has space.
func (f *file) Ready(size int) (again bool, err error) {
	if f.out == nil {
		return true, f.open()
	}
	named, err := os.Lstat(f.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, f.reopen("it was renamed or removed")
	case err != nil:
		return false, fmt.Errorf("look at the log file: %w", err)
	case !os.SameFile(named, f.opened):
		return true, f.reopen("another file replaced it")
	}
	if now := named.Size(); now < f.size {
		return true, f.cutShort(f.size, now)
	}
	if f.size > 0 && f.size+int64(size) > f.most {
		return true, f.rotate()
	}
	if !f.torn && f.now().Sub(f.swept) > time.Hour {
		return false, f.sweep()
	}
	return false, nil
}

// Write appends.
func (f *file) Write(text []byte) (int, error) {
	n, err := f.out.Write(text)
	f.size += int64(n)
	if n > 0 {
		f.torn = text[n-1] != '\n'
	}
	if err != nil {
		return n, fmt.Errorf("append to the log file: %w", err)
	}
	return n, nil
}

// Commit makes sure that the file still has a name and, with sync, is on disk. After an error
// the file is closed, so that the next write reopens it.
func (f *file) Commit(sync bool) error {
	err := linked(f.out)
	if err == nil && sync {
		if err = f.out.Sync(); err != nil {
			err = fmt.Errorf("sync the log file: %w", err)
		}
	}
	if err != nil {
		f.metrics.reopened.Inc()
		_ = f.Close() // it is given up
	}
	return err
}

// Close closes the file, after ending an incomplete line.
func (f *file) Close() error {
	if f.out == nil {
		return nil
	}
	if f.torn {
		_, _ = f.out.Write([]byte{'\n'}) // it is left in any case
	}
	out := f.out
	f.out, f.torn = nil, false
	return out.Close()
}

// open opens or creates the file, removes old ones, and ends a line that was cut in half.
func (f *file) open() error {
	out, made, err := appendable(f.path)
	if err != nil {
		return err
	}
	if f.opened, err = out.Stat(); err != nil {
		return errors.Join(fmt.Errorf("look at the log file: %w", err), out.Close())
	}
	f.out, f.size = out, f.opened.Size()
	if err := f.begin(made); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// begin records events about the file before it is used.
func (f *file) begin(made bool) error {
	gone, err := f.prune()
	if err == nil {
		err = f.repair()
	}
	if err == nil && f.why != "" {
		if err = f.add(f.note(kindReopened, map[string]any{"why": f.why})); err == nil {
			f.why = ""
		}
	}
	if err == nil {
		err = f.pruned(gone)
	}
	if err == nil && made {
		err = syncDirectory(filepath.Dir(f.path)) // or a crash could take the name
	}
	return err
}

// add appends a line of the log itself as a whole, or returns an error.
func (f *file) add(line []byte) error {
	n, err := f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

// reopen leaves a file that path no longer names.
func (f *file) reopen(why string) error {
	f.metrics.reopened.Inc()
	f.logger.Warn("reopening the decision log's file", "path", f.path, "why", why)
	f.why = why
	if err := f.Close(); err != nil {
		f.logger.Warn("closing the old log file failed", "error", err)
	}
	return f.open()
}

// cutShort records that another process truncated the file.
func (f *file) cutShort(before, now int64) error {
	f.metrics.reopened.Inc()
	f.size = now
	f.logger.Warn("the decision log's file was truncated", "path", f.path, "before", before, "now", now)
	if err := f.repair(); err != nil {
		return err
	}
	return f.add(f.note(kindTruncated, map[string]any{"before": before, "now": now}))
}

// repair ends an incomplete last line, so that the next one is not joined to it. The written
// bytes stay, and a line says how many of them are incomplete.
func (f *file) repair() error {
	torn, err := tornTail(f.path, f.size)
	if err != nil || len(torn) == 0 {
		return err
	}
	f.logger.Warn("the decision log ended with an incomplete line", "path", f.path, "bytes", len(torn))
	sum := sha256.Sum256(torn)
	return f.add(append([]byte{'\n'}, f.note(kindRepaired, map[string]any{"bytes": len(torn), "sha256": hex.EncodeToString(sum[:])})...))
}

// tornTail is the text after the last line feed, within the last megabyte.
func tornTail(path string, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the end of the log file: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	for length := min(size, 1); ; length = min(size, length*4096, maxTorn) {
		tail := make([]byte, length)
		if _, err := in.ReadAt(tail, size-length); err != nil {
			return nil, fmt.Errorf("read the end of the log file: %w", err)
		}
		for i := len(tail) - 1; i >= 0; i-- {
			if tail[i] == '\n' {
				return tail[i+1:], nil
			}
		}
		if length == size || length == maxTorn {
			return tail, nil
		}
	}
}

// appendable opens a regular file that only its owner can write to, for appending; made says
// that it was created, with mode 0600.
//
// The check is valid at this moment only: whoever can write to the directory can replace the
// file, so the directory must belong to Gavel.
func appendable(path string) (out *os.File, made bool, err error) {
	out, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return out, true, nil
	}
	if !errors.Is(err, fs.ErrExist) {
		return nil, false, fmt.Errorf("create the log file: %w", err)
	}
	named, err := os.Lstat(path)
	if err != nil {
		return nil, false, fmt.Errorf("look at the log file: %w", err)
	}
	if !named.Mode().IsRegular() {
		return nil, false, fmt.Errorf("%s is %s and not a regular file: name the file itself", path, kind(named.Mode()))
	}
	if named.Mode().Perm()&othersWrite != 0 {
		return nil, false, fmt.Errorf("%s is writable by users other than its owner (mode %04o): run chmod go-w on it",
			path, named.Mode().Perm())
	}
	if n := private.Links(named); n > 1 {
		return nil, false, fmt.Errorf("%s has %d hard links, so that what is appended may belong to another file: remove the others (find -samefile)", path, n)
	}
	if out, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|noWait, 0); err != nil {
		return nil, false, fmt.Errorf("open the log file for appending: %w", err)
	}
	opened, err := out.Stat()
	if err == nil && !os.SameFile(named, opened) {
		err = fmt.Errorf("%s was replaced while it was opened: keep it in a directory of its own", path)
	}
	if err != nil {
		return nil, false, errors.Join(err, out.Close())
	}
	return out, false, nil
}

// syncDirectory makes names in a directory durable.
func syncDirectory(path string) error {
	dir, err := os.Open(path)
	if err == nil {
		err = errors.Join(dir.Sync(), dir.Close())
	}
	if err != nil {
		return fmt.Errorf("sync the directory of the log file: %w", err)
	}
	return nil
}

func kind(mode fs.FileMode) string {
	switch {
	case mode&fs.ModeSymlink != 0:
		return "a symbolic link"
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	default:
		return "a device"
	}
}
