// Package allowlist keeps exec-approvals.json: the allowlist that grows by answers,
// and the settings that may only tighten those of the configuration
// (EXEC-1, APPROVALS-2, APPROVALS-5).
//
// The file is the documents' own, version 1. It belongs to one user, with mode 0600,
// in a directory that nobody else can write to; a symbolic link is refused wherever
// it stands. It is replaced whole, under a lock, and synced together with its
// directory. A file that cannot be read, or says what nobody knows, is refused and
// left as it is (R34): then no command is judged, until somebody repairs it.
//
// A [File] answers from memory and follows edits by hand. Which entry a program
// satisfies is a fact that it adds to facts; whether that suffices is Rego's to say.
package allowlist

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"gavel"
	"gavel/internal/rescue"
	"gavel/internal/secrets"
	"gavel/internal/watch"
)

// Name is what sources of reasons call the file.
const Name = "exec-approvals.json"

const (
	defaultFlush = 10 * time.Second
	maxFile      = 16 << 20 // bytes
	maxCommand   = 2000     // bytes of lastUsedCommand
	maxUses      = 4096     // entries whose use is not written yet
)

// Config says where the file is. Path, Now and NewID are required.
type Config struct {
	Path   string           // of the file, absolute
	Socket string           // of a new file: where operators connect
	Now    func() time.Time // the wall clock
	NewID  func() string    // a fresh UUID
	// Token makes the token of a new file: 24 random bytes in base64url.
	Token func() string
	// Key is that of digests of secret words, as [OpenKey] returns it; nil takes one that
	// nobody knows after a restart.
	Key []byte
	// Flush is how often uses of entries are written; 10 s.
	Flush time.Duration
	// Changed is told what the file says whenever it was read again, in order, and
	// whether Gavel wrote it; it must not block. Nil tells nobody.
	Changed func(judged *Document, made bool)
	Logger  *slog.Logger // nil discards
}

// File is the file. It is safe for concurrent use.
type File struct {
	cfg   Config
	log   *slog.Logger
	seal  *sealer
	state atomic.Pointer[view]
	mu    sync.Mutex // serialises reading and writing of this process; the lock file those of others
	uses  uses
}

var _ gavel.ApprovalsFile = (*File)(nil)

// Open reads the file, and makes it where there is none. One that is refused is no
// error of Open: the file can be repaired while Gavel serves. Problem says why.
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

// create writes a first file: no settings, no entries, a token of its own.
func (f *File) create() error {
	_, err := f.change(context.Background(), func(d *Document) (bool, error) {
		d.Socket = &Socket{Path: f.cfg.Socket, Token: f.cfg.Token()}
		return true, nil
	})
	return err
}

// Problem says why the file is refused; nil while it is not.
func (f *File) Problem() error { return f.state.Load().err }

// Token is the token of the file's socket; "" when there is none.
func (f *File) Token() string {
	if d := f.state.Load().document; d != nil && d.Socket != nil {
		return d.Socket.Token
	}
	return ""
}

// Run follows edits by hand and writes uses of entries, until ctx ends; then it
// writes what is left.
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
	return watch.Watch(ctx, watch.Config{Path: f.cfg.Path, Known: f.state.Load().watched, Logger: f.log}, f.reload)
}

// flush writes uses. They are bookkeeping: what cannot be written is said, and lost.
func (f *File) flush() {
	if err := rescue.Call(f.Flush); err != nil {
		f.log.Error("uses of allowlist entries were not written", "file", f.cfg.Path, "error", err, "stack", rescue.Stack(err))
	}
}

// reload reads the file as it is now. A file that was there and vanished is refused,
// not empty.
func (f *File) reload() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reloadLocked(false)
}

// reloadLocked reads the file; made says that Gavel has just written it.
func (f *File) reloadLocked(made bool) {
	old := f.state.Load()
	watched, _ := watch.Hash(f.cfg.Path) // before it is read: what changes meanwhile is seen again
	var next *view
	if err := rescue.Call(func() error { next = f.read(); return nil }); err != nil { // what it says may be tighter than what was read before
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
		f.cfg.Changed(judged(next.document), made)
	}
}
