package allowlist

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"gavel"
	"gavel/internal/private"
)

// read reads the file.
func (f *File) read() *view {
	raw, err := private.ReadFile(f.cfg.Path, maxFile)
	if err == nil {
		err = checkDirectory(filepath.Dir(f.cfg.Path))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return &view{absent: true}
	}
	if err != nil {
		return &view{err: &gavel.ApprovalError{Code: gavel.CodeAllowlistUnsafe, Message: "the approvals file is not used: " + err.Error(),
			Fix: "make it a regular file, in a directory, that only this user can read and write"}}
	}
	d, err := Parse(raw)
	if err != nil {
		return &view{raw: raw, err: &gavel.ApprovalError{Code: gavel.CodeAllowlistCorrupt, Message: "the approvals file cannot be read: " + err.Error(),
			Fix: "repair it; Gavel does not change it"}}
	}
	return viewOf(raw, d, f.seal)
}

// checkDirectory refuses a directory in which others could replace the file: a link, another
// user's directory, or one that group or others can write to. No component below the home
// directory may be a link either.
func checkDirectory(dir string) error {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return err
	case info.Mode().Type() == fs.ModeSymlink:
		return fmt.Errorf("the directory %s is a symbolic link", dir)
	case !info.IsDir():
		return fmt.Errorf("%s is not a directory", dir)
	case !private.Owned(info):
		return fmt.Errorf("the directory %s belongs to another user", dir)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("other users can write to the directory %s (%s)", dir, info.Mode())
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for at := filepath.Dir(dir); len(at) > len(home) && at != filepath.Dir(at); at = filepath.Dir(at) {
		if inside, err := filepath.Rel(home, at); err != nil || !filepath.IsLocal(inside) {
			return nil
		}
		if info, err := os.Lstat(at); err != nil || info.Mode().Type() == fs.ModeSymlink {
			return fmt.Errorf("the directory %s is a symbolic link, or cannot be examined", at)
		}
	}
	return nil
}

// change edits the file under the lock: it reads the current file, applies edit, and replaces
// the file. If edit returns false, nothing is written. A refused file is not changed.
func (f *File) change(ctx context.Context, edit func(*Document) (bool, error)) (*view, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(f.cfg.Path), 0o700); err != nil {
		return nil, errNotWritten("create the directory of the approvals file", err)
	}
	unlock, err := private.Lock(ctx, f.cfg.Path+".lock")
	if err != nil {
		return nil, errNotWritten("lock the approvals file", err)
	}
	defer unlock()
	f.reloadLocked(false)
	v := f.state.Load()
	if v.err != nil {
		return nil, v.err
	}
	d := &Document{Version: 1}
	if v.document != nil {
		if d, err = Parse(v.raw); err != nil { // a copy that edit may change
			return nil, err
		}
	}
	changed, err := edit(d)
	if err != nil || !changed {
		return v, err
	}
	if err := f.replace(d); err != nil {
		return nil, err
	}
	f.reloadLocked(true)
	v = f.state.Load()
	return v, v.err
}

// replace writes a document whole, over the old one.
func (f *File) replace(d *Document) error {
	for _, id := range slices.Sorted(maps.Keys(d.Agents)) {
		entries := d.Agents[id].Allowlist
		for i := range entries {
			if entries[i].ID == "" {
				entries[i].ID = f.cfg.NewID()
			}
		}
	}
	f.seal.document(d)
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("write the approvals file: %w", err)
	}
	if _, err := Parse(text.Bytes()); err != nil { // never write a file that would be refused
		return &gavel.ApprovalError{Code: gavel.CodeAllowlistInvalid, Message: "the approvals file would not be valid: " + err.Error(), Fix: "correct it"}
	}
	dir := filepath.Dir(f.cfg.Path)
	if err := checkDirectory(dir); err != nil {
		return &gavel.ApprovalError{Code: gavel.CodeAllowlistUnsafe, Message: err.Error(), Fix: "use a directory that only this user can write to"}
	}
	if info, err := os.Lstat(f.cfg.Path); err == nil {
		if err := private.Check(f.cfg.Path, info); err != nil {
			return &gavel.ApprovalError{Code: gavel.CodeAllowlistUnsafe, Message: "the approvals file is not replaced: " + err.Error(), Fix: "remove it"}
		}
	}
	if err := private.ReplaceFile(f.cfg.Path, text.Bytes(), 0o600); err != nil {
		return errNotWritten("write the approvals file", err)
	}
	return nil
}

// errNotWritten is the error for a file that cannot be written now, for example on a full disk.
func errNotWritten(what string, err error) error {
	return &gavel.ApprovalError{Code: gavel.CodeApprovalsUnavailable, Message: what + " failed", Fix: "see the server's log; is the disk full?", Err: err}
}

func hashOf(raw []byte) string {
	sum := sha256.Sum256(raw)
	return hex.EncodeToString(sum[:])
}
