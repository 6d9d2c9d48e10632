package decisionlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"gopkg.in/natefinch/lumberjack.v2"
)

// othersWrite is the permission bits by which others than the owner may write.
const othersWrite fs.FileMode = 0o022

// unclosed keeps a writer that is not ours open.
type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// openSink returns where the lines go.
func (l *Log) openSink() (io.WriteCloser, error) {
	if l.cfg.Path == "" {
		return unclosed{l.cfg.Writer}, nil
	}
	if err := prepare(l.cfg.Path); err != nil {
		return nil, err
	}
	return &lumberjack.Logger{Filename: l.cfg.Path, MaxSize: l.cfg.MaxSizeMB,
		MaxBackups: l.cfg.MaxBackups, MaxAge: l.cfg.MaxAgeDays}, nil
}

// prepare makes sure that path is a regular file that only its owner may write,
// and that it can be appended to. A missing file is created with mode 0600.
//
// The check holds for this moment: whoever may write to the directory can put
// something else there before a rotation, so the directory has to be Gavel's own.
func prepare(path string) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		return file.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create the log file: %w: name a file in a directory that exists and may be written", err)
	}
	named, err := os.Lstat(path)
	if err != nil {
		return fmt.Errorf("look at the log file: %w", err)
	}
	if !named.Mode().IsRegular() {
		return fmt.Errorf("%s is %s and not a regular file: name the file itself", path, kind(named.Mode()))
	}
	if named.Mode().Perm()&othersWrite != 0 {
		return fmt.Errorf("%s may be written by others than its owner (mode %04o): run chmod go-w on it",
			path, named.Mode().Perm())
	}
	if file, err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
		return fmt.Errorf("open the log file for appending: %w", err)
	}
	defer func() { _ = file.Close() }() // nothing was written
	opened, err := file.Stat()
	if err != nil {
		return fmt.Errorf("look at the log file: %w", err)
	}
	if !os.SameFile(named, opened) {
		return fmt.Errorf("%s was replaced while it was opened: keep it in a directory of its own", path)
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
