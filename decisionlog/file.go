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

// groupOrOthersWrite are the permission bits with which users other than the owner can write.
const groupOrOthersWrite fs.FileMode = 0o022

// Kinds of audit events about the log itself.
const (
	kindRepaired  = "log.repaired"  // the last line was incomplete, and was terminated
	kindReopened  = "log.reopened"  // another process renamed, removed or replaced the file
	kindTruncated = "log.truncated" // another process truncated the file
	kindPruned    = "log.pruned"    // rotated files were removed
)

// maxTornTail limits how much of an incomplete last line is read, in bytes.
const maxTornTail = 1 << 20

// logFile appends to a file and rotates it. Before each write it checks that path still names the
// open file, so no line is lost after another process has renamed or removed it.
type logFile struct {
	path                   string
	maxSize                int64 // bytes
	maxBackups, maxAgeDays int   // of rotated files; 0 means no limit
	now                    func() time.Time
	encodeAudit            func(kind string, detail map[string]any) []byte // returns a line
	logger                 *slog.Logger
	metrics                *metrics

	out          *os.File // nil if it is not open
	opened       fs.FileInfo
	size         int64
	torn         bool      // the last write ended inside a line
	reopenReason string    // why the file was reopened, until that is recorded
	pruneTime    time.Time // when rotated files were last pruned
}

// Prepare opens, reopens or rotates the file if necessary.
func (f *logFile) Prepare(size int) (switched bool, err error) {
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
		return true, f.noteTruncation(f.size, now)
	}
	if f.size > 0 && f.size+int64(size) > f.maxSize {
		return true, f.rotate()
	}
	if !f.torn && f.now().Sub(f.pruneTime) > time.Hour {
		return false, f.pruneAndNote()
	}
	return false, nil
}

func (f *logFile) Write(text []byte) (int, error) {
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

// Commit fails if the file was removed, or if it cannot be synced. It then closes the file, so that
// the next write opens it again.
func (f *logFile) Commit(sync bool) error {
	err := checkLinked(f.out)
	if err == nil && sync {
		if err = f.out.Sync(); err != nil {
			err = fmt.Errorf("sync the log file: %w", err)
		}
	}
	if err != nil {
		f.metrics.reopened.Inc()
		_ = f.Close() // err says what happened
	}
	return err
}

// Close terminates an incomplete last line, and closes the file.
func (f *logFile) Close() error {
	if f.out == nil {
		return nil
	}
	if f.torn {
		_, _ = f.out.Write([]byte{'\n'}) // if it fails, repair does it later
	}
	out := f.out
	f.out, f.torn = nil, false
	return out.Close()
}

// open opens or creates the file, prunes rotated files, and terminates an incomplete last line.
func (f *logFile) open() error {
	out, created, err := openForAppend(f.path)
	if err != nil {
		return err
	}
	if f.opened, err = out.Stat(); err != nil {
		return errors.Join(fmt.Errorf("look at the log file: %w", err), out.Close())
	}
	f.out, f.size = out, f.opened.Size()
	if err := f.prepareNew(created); err != nil {
		return errors.Join(err, f.Close())
	}
	return nil
}

// prepareNew prunes and repairs after the file was opened, and records that.
func (f *logFile) prepareNew(created bool) error {
	removed, err := f.prune()
	if err == nil {
		err = f.repair()
	}
	if err == nil && f.reopenReason != "" {
		if err = f.appendLine(f.encodeAudit(kindReopened, map[string]any{"why": f.reopenReason})); err == nil {
			f.reopenReason = ""
		}
	}
	if err == nil {
		err = f.notePruned(removed)
	}
	if err == nil && created {
		err = syncDirectory(filepath.Dir(f.path)) // otherwise a crash could lose the new file's name
	}
	return err
}

// appendLine appends a line about the log itself. A short write is an error.
func (f *logFile) appendLine(line []byte) error {
	n, err := f.Write(line)
	if err == nil && n < len(line) {
		err = io.ErrShortWrite
	}
	return err
}

// reopen closes a file that path no longer names, and opens the one that it names.
func (f *logFile) reopen(reason string) error {
	f.metrics.reopened.Inc()
	f.logger.Warn("reopening the decision log's file", "path", f.path, "why", reason)
	f.reopenReason = reason
	if err := f.Close(); err != nil {
		f.logger.Warn("closing the old log file failed", "error", err)
	}
	return f.open()
}

// noteTruncation records that another process truncated the file.
func (f *logFile) noteTruncation(before, now int64) error {
	f.metrics.reopened.Inc()
	f.size = now
	f.logger.Warn("the decision log's file was truncated", "path", f.path, "before", before, "now", now)
	if err := f.repair(); err != nil {
		return err
	}
	return f.appendLine(f.encodeAudit(kindTruncated, map[string]any{"before": before, "now": now}))
}

// repair terminates an incomplete last line, so that the next line does not continue it. It keeps
// the incomplete bytes, and records their number and hash.
func (f *logFile) repair() error {
	torn, err := tornTail(f.path, f.size)
	if err != nil || len(torn) == 0 {
		return err
	}
	f.logger.Warn("the decision log ended with an incomplete line", "path", f.path, "bytes", len(torn))
	sum := sha256.Sum256(torn)
	return f.appendLine(append([]byte{'\n'}, f.encodeAudit(kindRepaired, map[string]any{"bytes": len(torn), "sha256": hex.EncodeToString(sum[:])})...))
}

// tornTail returns the text after the last line feed, at most maxTornTail bytes of it.
func tornTail(path string, size int64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the end of the log file: %w", err)
	}
	defer in.Close() //nolint:errcheck // it was only read
	for length := min(size, 1); ; length = min(size, length*4096, maxTornTail) {
		tail := make([]byte, length)
		if _, err := in.ReadAt(tail, size-length); err != nil {
			return nil, fmt.Errorf("read the end of the log file: %w", err)
		}
		for i := len(tail) - 1; i >= 0; i-- {
			if tail[i] == '\n' {
				return tail[i+1:], nil
			}
		}
		if length == size || length == maxTornTail {
			return tail, nil
		}
	}
}

// openForAppend opens a regular file that only its owner can write to, or creates it with mode
// 0600.
//
// The check holds only at this moment: a user who can write to the directory can replace the file.
// So the directory must belong to Gavel.
func openForAppend(path string) (out *os.File, created bool, err error) {
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
		return nil, false, fmt.Errorf("%s is %s and not a regular file: name the file itself", path, typeName(named.Mode()))
	}
	if named.Mode().Perm()&groupOrOthersWrite != 0 {
		return nil, false, fmt.Errorf("%s is writable by users other than its owner (mode %04o): run chmod go-w on it",
			path, named.Mode().Perm())
	}
	if n := private.Links(named); n > 1 {
		return nil, false, fmt.Errorf("%s has %d hard links, so lines would also be appended to another file: remove the other links (find -samefile)", path, n)
	}
	if out, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND|openFlags, 0); err != nil {
		return nil, false, fmt.Errorf("open the log file for appending: %w", err)
	}
	opened, err := out.Stat()
	if err == nil && !os.SameFile(named, opened) {
		err = fmt.Errorf("%s was replaced while it was being opened: keep it in a directory of its own", path)
	}
	if err != nil {
		return nil, false, errors.Join(err, out.Close())
	}
	return out, false, nil
}

// syncDirectory makes the names in a directory durable.
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

func typeName(mode fs.FileMode) string {
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
