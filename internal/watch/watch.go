// Package watch notices that a policy changed: a file, a directory tree or a
// bundle. It knows nothing about policies but which files make one ([Hash]).
//
// Events of the file system only say when to look. What counts is the hash of
// the contents, so an event that is lost, doubled or about nothing of interest
// does no harm, and a slow look at regular intervals finds what no event told.
package watch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"gavel/internal/rescue"
)

const (
	defaultDebounce = 200 * time.Millisecond
	defaultPoll     = 5 * time.Second
	// maxLooks is the number of looks after which a tree that keeps changing is reported
	// anyway, so that constant writes cannot keep a new policy out forever.
	maxLooks = 30
)

// Config says what to watch. Only Path is required.
type Config struct {
	// Path is the file or directory. It may be a symbolic link, and need not
	// exist yet.
	Path string
	// Known is the [Hash] of what the caller has loaded already. Empty means
	// whatever is there when Watch starts.
	Known string
	// Beside is what counts besides the contents, such as whether the file is safe; it is appended
	// to the [Hash], in Known too. Nil is nothing.
	Beside func() string
	// Debounce is how long the contents must stay the same to count as complete
	// (default 200 ms).
	Debounce time.Duration
	// Poll is the time between two looks without any event (default 5 s).
	Poll time.Duration
	// PollOnly uses no events at all, for file systems that send none.
	PollOnly bool
	// Logger hears when events cannot be had; nil discards.
	Logger *slog.Logger
}

// Watch calls changed after each burst of changes that leaves different contents, and returns
// nil when ctx ends. An error means that the configuration is wrong, and nothing was watched.
//
// A path that cannot be hashed, for example because it vanished, is a state of its own:
// changed is called when it begins and when it ends, so that the caller can report the
// problem while it keeps the last good policy. If the contents are restored within one burst,
// nothing has changed.
//
// Calls never overlap. Changes during a call cause another call afterwards. A panic in a call
// is logged, and the next change is reported anyway.
func Watch(ctx context.Context, cfg Config, changed func()) error {
	switch {
	case cfg.Path == "":
		return errors.New("watch policy: no path: name a file or a directory")
	case changed == nil:
		return errors.New("watch policy: there is no function to call on a change")
	case cfg.Debounce < 0, cfg.Poll < 0:
		return fmt.Errorf("watch policy %s: a negative time: debounce %s, poll %s: use 0 for the default",
			cfg.Path, cfg.Debounce, cfg.Poll)
	}
	if cfg.Debounce == 0 {
		cfg.Debounce = defaultDebounce
	}
	if cfg.Poll == 0 {
		cfg.Poll = defaultPoll
	}
	path, err := filepath.Abs(cfg.Path)
	if err != nil {
		return fmt.Errorf("watch policy %s: %w", cfg.Path, err)
	}
	w := &watcher{path: path, debounce: cfg.Debounce, poll: cfg.Poll, beside: cfg.Beside, logger: cfg.Logger, changed: changed}
	if w.logger == nil {
		w.logger = slog.New(slog.DiscardHandler)
	}
	if !cfg.PollOnly {
		w.listen()
	}
	if w.events != nil {
		defer func() { _ = w.events.Close() }() // nothing was written
	}
	w.known = w.look()
	if cfg.Known != "" && cfg.Known != w.known {
		w.known = cfg.Known
		w.trigger()
	}
	w.run(ctx)
	return nil
}

// watcher is the state of one Watch. All of it belongs to one goroutine.
type watcher struct {
	path     string
	debounce time.Duration
	poll     time.Duration
	beside   func() string
	logger   *slog.Logger
	changed  func()

	events *fsnotify.Watcher // nil when there is only polling
	warned bool              // that a directory cannot be watched
	// dirs are the directories that are watched, by their real paths, and the names in
	// them that count; nil means all of them.
	dirs map[string][]string

	known     string           // the state that the caller knows
	candidate string           // another state, seen once; "" when there is none
	looks     int              // since the state first differed
	resting   <-chan time.Time // the end of the debounce time; nil when idle
	dirty     bool             // something happened during the debounce time
}

func (w *watcher) listen() {
	events, err := fsnotify.NewWatcher()
	if err != nil {
		w.logger.Warn("no file events: polling for changes", "path", w.path, "every", w.poll, "error", err)
		return
	}
	w.events = events
}

// run waits for something to look at until ctx ends.
func (w *watcher) run(ctx context.Context) {
	poll := time.NewTicker(w.poll)
	defer poll.Stop()
	var events chan fsnotify.Event
	var failures chan error
	if w.events != nil {
		events, failures = w.events.Events, w.events.Errors
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case event, open := <-events:
			if !open {
				events = nil
			}
			// A file beside the policy may grow, as logs do. Whatever else happens there may
			// lead to the policy, by links.
			if event.Op != fsnotify.Write || w.concerns(event.Name) {
				w.trigger()
			}
		case err, open := <-failures:
			if !open {
				failures = nil
				continue
			}
			w.logger.Warn("file events failed: starting again", "path", w.path, "error", err) // an overflow, mostly
			w.trigger()
		case <-poll.C:
			w.trigger()
		case <-w.resting:
			w.rested()
		}
	}
}

// concerns reports whether the file of that name may be the policy, or a part of it.
func (w *watcher) concerns(name string) bool {
	if _, itself := w.dirs[name]; itself {
		return true
	}
	names := w.dirs[filepath.Dir(name)]
	return names == nil || slices.ContainsFunc(names, func(known string) bool { return strings.EqualFold(known, filepath.Base(name)) })
}

// trigger looks at once when nothing has happened for a while, and otherwise
// at the end of the debounce time: at most one look in each such time.
func (w *watcher) trigger() {
	if w.resting != nil {
		w.dirty = true
		return
	}
	w.step()
}

func (w *watcher) rested() {
	w.resting = nil
	if w.dirty || w.candidate != "" {
		w.step()
	}
}

// step takes one look. A state that differs from the known one counts when two
// looks in a row show it.
func (w *watcher) step() {
	w.dirty = false
	w.resting = time.After(w.debounce)
	state := w.look()
	switch {
	case state == w.known:
		w.candidate, w.looks = "", 0
	case state == w.candidate, w.looks >= maxLooks:
		w.known, w.candidate, w.looks = state, "", 0
		rescue.Run(w.logger, "take over a change of "+w.path, w.changed)
	default:
		w.candidate = state
		w.looks++
	}
}

// look sets the watches and returns the state of the policy: its hash, or the
// error that is in its place, which a panic is too.
func (w *watcher) look() (state string) {
	if err := rescue.Call(func() error { state = w.see(); return nil }); err != nil {
		w.logger.Error("the watched files could not be examined", "path", w.path, "error", err, "stack", rescue.Stack(err))
		return "error: " + err.Error()
	}
	return state
}

func (w *watcher) see() string {
	var state string
	// A directory that was renamed keeps its watch under the old name, and
	// removing that name takes the new one's watch along. So remove first, and
	// look again.
	for range 3 {
		w.dirs = map[string][]string{}
		anchors(w.path, func(dir, name string) {
			w.dirs[dir] = append(w.dirs[dir], name)
			w.add(dir)
		})
		visit := func(dir string) {
			w.dirs[dir] = nil
			w.add(dir)
		}
		hash, err := hash(w.path, visit)
		if err != nil { // not all of the tree was seen: keep every watch
			return "error: " + err.Error()
		}
		if state = hash; w.beside != nil {
			state += w.beside()
		}
		if !w.dropOthers() {
			break
		}
	}
	return state
}

// add watches a directory. One that is watched already costs a system call, and
// one that took the place of another is noticed.
func (w *watcher) add(dir string) {
	if w.events == nil {
		return
	}
	if err := w.events.Add(dir); err != nil && !w.warned {
		w.warned = true
		w.logger.Warn("a directory cannot be watched: polling for its changes (on Linux, see fs.inotify.max_user_watches)",
			"directory", dir, "every", w.poll, "error", err)
	}
}

// dropOthers ends the watches of other directories, and reports whether there was one.
func (w *watcher) dropOthers() (dropped bool) {
	if w.events == nil {
		return false
	}
	for _, dir := range w.events.WatchList() {
		if _, wanted := w.dirs[dir]; !wanted {
			_ = w.events.Remove(dir) // it fails when the directory is gone, which is as good
			dropped = true
		}
	}
	return dropped
}
