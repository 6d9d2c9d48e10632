// Package statefile keeps one JSON document in a private file that several processes may read
// and change. A change by any of them is noticed at the next look. An unusable file is an
// error and is left unchanged.
package statefile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"gavel/internal/private"
	"gavel/internal/strictjson"
)

// Config says what a file holds.
type Config[T any] struct {
	Path  string
	Limit int    // bytes
	What  string // what it holds, for errors: "credentials"
	Fix   string // what to do about one that cannot be read
	// Check says what is wrong with a document; it is called before one is used and
	// before one is written.
	Check func(*T) error
	// Unusable is what follows from a file that cannot be used, for the log.
	Unusable string
	Logger   *slog.Logger // nil discards
}

// File is the file. It is not safe for concurrent use within a process; between
// processes it is.
type File[T any] struct {
	cfg   Config[T]
	print private.Print
	read  bool
	known T
	err   error
}

// New returns the file. There need not be one yet: a missing one holds the zero value.
func New[T any](cfg Config[T]) *File[T] {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	return &File[T]{cfg: cfg}
}

// Look returns the current document, and whether it was read again. It reads the file only if
// it is not certainly unchanged. With an error the document is the zero value.
func (f *File[T]) Look() (document *T, again bool, err error) {
	if f.read && f.print.Same(f.cfg.Path) {
		return &f.known, false, f.err
	}
	failed := f.err
	f.print, f.read = private.PrintOf(f.cfg.Path), true // before it is read: what changes in the meantime is seen again
	f.known, f.err = f.load()
	if f.err != nil && (failed == nil || failed.Error() != f.err.Error()) {
		f.cfg.Logger.Error(f.cfg.Unusable, "error", f.err)
	}
	return &f.known, true, f.err
}

// load reads and checks the file as it is now.
func (f *File[T]) load() (T, error) {
	var document, none T
	text, err := private.ReadFile(f.cfg.Path, f.cfg.Limit)
	if errors.Is(err, fs.ErrNotExist) {
		return none, nil
	}
	if err != nil {
		return none, fmt.Errorf("read %s: %w", f.cfg.What, err)
	}
	if err = strictjson.Unmarshal(text, &document); err == nil {
		err = f.cfg.Check(&document)
	}
	if err != nil {
		return none, fmt.Errorf("read %s: %s: %w; %s", f.cfg.What, f.cfg.Path, err, f.cfg.Fix)
	}
	return document, nil
}

// Edit changes the document under a lock that other processes respect, and writes it
// whole. Change gets what the file says now; its error leaves everything as it is.
func (f *File[T]) Edit(ctx context.Context, change func(*T) error) error {
	dir := filepath.Dir(f.cfg.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	if err := private.CheckPlace(dir); err != nil {
		return err
	}
	unlock, err := private.Lock(ctx, f.cfg.Path+".lock")
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.cfg.Path, err)
	}
	defer unlock()
	document, err := f.load()
	if err != nil {
		return err
	}
	if err := change(&document); err != nil {
		return err
	}
	return f.write(&document)
}

func (f *File[T]) write(document *T) error {
	if err := f.cfg.Check(document); err != nil {
		return fmt.Errorf("write %s: %w", f.cfg.What, err)
	}
	var text bytes.Buffer
	if err := strictjson.Write(&text, document); err != nil {
		return fmt.Errorf("write %s: %w", f.cfg.What, err)
	}
	if text.Len() > f.cfg.Limit {
		return fmt.Errorf("write %s: more than %d bytes", f.cfg.What, f.cfg.Limit)
	}
	if err := private.ReplaceFile(f.cfg.Path, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", f.cfg.What, err)
	}
	f.read = false
	return nil
}
