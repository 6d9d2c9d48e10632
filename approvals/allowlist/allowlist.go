// Package allowlist keeps exec-approvals.json: the allowlist that answers extend, and
// settings that can only tighten the configuration (EXEC-1, APPROVALS-2, APPROVALS-5).
//
// The file has OpenClaw's format, version 1. It belongs to one user, with mode 0600, in a
// directory that nobody else can write to; symbolic links in its path are refused. It is
// replaced as a whole, under a lock, and synced together with its directory. A file that
// cannot be read or has unknown content is refused and left unchanged (R34); until it is
// repaired, no command is permitted.
//
// A [File] answers from memory and follows edits by hand. It adds the entry that a program
// matches to the facts; Rego judges whether that is enough.
package allowlist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/rescue"
	"gavel/internal/secrets"
	"gavel/internal/watch"
)

// Name is the file's name in sources of reasons.
const Name = "exec-approvals.json"

const (
	defaultFlush = 10 * time.Second
	maxFile      = 16 << 20 // bytes
	maxCommand   = 2000     // bytes of lastUsedCommand
	maxUses      = 4096     // entries whose use has not been written yet
)

// Config configures the file. Path, Now and NewID are required.
type Config struct {
	Path   string           // of the file, absolute
	Socket string           // of a new file: where operators connect
	Now    func() time.Time // the wall clock
	NewID  func() string    // a fresh UUID
	// Token returns the token of a new file: 24 random bytes in base64url.
	Token func() string
	// Key is the key for digests of secret words, as [OpenKey] returns it. With nil, a random
	// key is used that is lost on restart.
	Key []byte
	// Flush is the interval between writes of entry uses; 10 s.
	Flush time.Duration
	// Changed is called whenever the file was read again, in order, with its content and
	// whether Gavel wrote it. It must not block. May be nil.
	Changed func(judged *Document, made bool)
	Logger  *slog.Logger // nil discards
}

// File is the file. It is safe for concurrent use.
type File struct {
	cfg   Config
	log   *slog.Logger
	seal  *sealer
	state atomic.Pointer[view]
	mu    sync.Mutex // serialises reads and writes of this process; the lock file serialises processes
	uses  uses
}

var _ gavel.ApprovalsFile = (*File)(nil)

// Open reads the file, or creates it if it does not exist. A refused file is not an error of
// Open, because it can be repaired while Gavel runs; see Problem.
func Open(cfg Config) (*File, error) {
	if cfg.Now == nil || cfg.NewID == nil || cfg.Token == nil {
		return nil, errors.New("allowlist: Now, NewID and Token are required")
	}
	if !filepath.IsAbs(cfg.Path) {
		return nil, fmt.Errorf("allowlist: %q is not an absolute path", cfg.Path)
	}
	if cfg.Flush == 0 {
		cfg.Flush = defaultFlush
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Key == nil {
		cfg.Key = newKey()
	}
	f := &File{cfg: cfg, log: cfg.Logger, seal: &sealer{cfg.Key, secrets.New()}, uses: uses{waiting: map[useKey]use{}}}
	f.reload()
	if f.state.Load().missing() {
		if err := f.create(); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// create writes a first file: no settings, no entries, and a new token.
func (f *File) create() error {
	_, err := f.change(context.Background(), func(d *Document) (bool, error) {
		d.Socket = &Socket{Path: f.cfg.Socket, Token: f.cfg.Token()}
		return true, nil
	})
	return err
}

// Problem returns why the file is refused, or nil.
func (f *File) Problem() error { return f.state.Load().err }

// Token returns the token of the file's socket; "" if there is none.
func (f *File) Token() string {
	if d := f.state.Load().document; d != nil && d.Socket != nil {
		return d.Socket.Token
	}
	return ""
}

// Run follows edits by hand and writes uses of entries until ctx ends, then writes the
// remaining uses.
func (f *File) Run(ctx context.Context) error {
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() {
		ticker := time.NewTicker(f.cfg.Flush)
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				f.flush()
				return
			case <-ticker.C:
				f.flush()
			}
		}
	})
	return watch.Watch(ctx, watch.Config{Path: f.cfg.Path, Known: f.state.Load().watched, Beside: f.unsafeReason, Logger: f.log}, f.reload)
}

// unsafeReason returns why a file that can be read is refused, or "". The reason may go away
// without a change of the content.
func (f *File) unsafeReason() string {
	info, err := os.Lstat(f.cfg.Path)
	if err == nil {
		err = private.Check(f.cfg.Path, info)
	}
	if err == nil {
		err = checkDirectory(filepath.Dir(f.cfg.Path))
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// flush writes uses. They are only bookkeeping: if they cannot be written, that is logged and
// they are lost.
func (f *File) flush() {
	if err := rescue.Call(f.Flush); err != nil {
		f.log.Error("uses of allowlist entries were not written", "file", f.cfg.Path, "error", err, "stack", rescue.Stack(err))
	}
}

// reload reads the file again. A file that existed and is now missing is refused, not treated
// as empty.
func (f *File) reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reloadLocked(false)
}

// reloadLocked reads the file. The caller holds the lock, and sets made if Gavel has just written
// the file.
func (f *File) reloadLocked(made bool) {
	old := f.state.Load()
	watched, err := watch.Hash(f.cfg.Path) // before reading, so that a concurrent change is seen again
	if err == nil {
		watched += f.unsafeReason()
	}
	var next *view
	if err := rescue.Call(func() error { next = f.read(); return nil }); err != nil { // the new content may be stricter than the old
		f.log.Error("reading the approvals file panicked", "file", f.cfg.Path, "error", err, "stack", rescue.Stack(err))
		next = &view{err: &gavel.ApprovalError{Code: gavel.CodeAllowlistCorrupt, Message: "the approvals file cannot be read: " + err.Error(),
			Fix: "see the server's log, then repair the file"}}
	}
	next.watched = watched
	if next.missing() && old != nil && !old.missing() {
		next.err = &gavel.ApprovalError{Code: gavel.CodeAllowlistCorrupt, Message: "the approvals file has vanished",
			Fix: "restore it; to start with an empty one, stop Gavel first"}
	}
	if next.err != nil && (old == nil || old.err == nil || old.err.Error() != next.err.Error()) {
		f.log.Error("the approvals file is refused: commands are denied until it is repaired", "file", f.cfg.Path, "error", next.err)
	}
	if next.err == nil && old != nil && old.err != nil {
		f.log.Info("the approvals file is usable again", "file", f.cfg.Path)
	}
	f.state.Store(next)
	if next.err == nil && next.document != nil && f.cfg.Changed != nil && (old == nil || !bytes.Equal(old.raw, next.raw)) {
		f.cfg.Changed(judgedParts(next.document), made)
	}
}
