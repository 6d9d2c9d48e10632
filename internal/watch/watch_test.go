package watch

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = time.Minute
	brief    = 20 * time.Millisecond
)

// eventsOnly is a configuration in which polling never helps.
func eventsOnly(path string) Config {
	return Config{Path: path, Debounce: brief, Poll: time.Hour}
}

func pollOnly(path string) Config {
	return Config{Path: path, Debounce: brief, Poll: brief, PollOnly: true}
}

// watching is a Watch in the background. What it saw at each call is the hash
// at that time, or the error.
type watching struct {
	path  string
	calls chan string
}

func start(t *testing.T, cfg Config) *watching {
	t.Helper()
	w := &watching{path: cfg.Path, calls: make(chan string, 100)}
	cfg.Known = "nothing yet" // the first call says that Watch has begun
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	running := atomic.Bool{}
	go func() {
		ended <- Watch(ctx, cfg, func() {
			assert.True(t, running.CompareAndSwap(false, true), "calls overlap")
			w.calls <- state(cfg.Path)
			running.Store(false)
		})
	}()
	t.Cleanup(func() {
		cancel()
		assert.NoError(t, <-ended)
	})
	w.told(t)
	return w
}

// state is what a caller that hashes the path would know.
func state(path string) string {
	sum, err := Hash(path)
	if err != nil {
		return "error: " + err.Error()
	}
	return sum
}

// told waits for a call that sees the present state.
func (w *watching) told(t *testing.T) {
	t.Helper()
	want := state(w.path)
	deadline := time.After(patience)
	for {
		select {
		case got := <-w.calls:
			if got == want {
				return
			}
		case <-deadline:
			require.Fail(t, "the change was not noticed")
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

func mkdir(t *testing.T, path string) string {
	t.Helper()
	require.NoError(t, os.MkdirAll(path, 0o700))
	return path
}

// tree is a small policy directory.
func tree(t *testing.T) string {
	t.Helper()
	dir := mkdir(t, filepath.Join(t.TempDir(), "policy"))
	write(t, filepath.Join(dir, "config.yaml"), "tools: {}")
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, "custom")), "a.rego"), "package custom")
	return dir
}

// checkNoticed makes changes below a directory that is watched, by events and by polling.
func checkNoticed(t *testing.T, changes map[string]func(t *testing.T, dir string, w *watching)) {
	t.Helper()
	modes := map[string]func(string) Config{"by events": eventsOnly, "by polling": pollOnly}
	for mode, config := range modes {
		for name, change := range changes {
			t.Run(mode+" "+name, func(t *testing.T) {
				t.Parallel()
				dir := tree(t)
				change(t, dir, start(t, config(dir)))
			})
		}
	}
}

func TestChangesOfFilesAreNoticed(t *testing.T) {
	t.Parallel()
	checkNoticed(t, map[string]func(t *testing.T, dir string, w *watching){
		"a file is created": func(t *testing.T, dir string, w *watching) {
			write(t, filepath.Join(dir, "b.rego"), "package custom.b")
			w.told(t)
		},
		"a file is written in place": func(t *testing.T, dir string, w *watching) {
			write(t, filepath.Join(dir, "custom", "a.rego"), "package custom.changed")
			w.told(t)
		},
		"a file is replaced by a rename, as editors do, twice": func(t *testing.T, dir string, w *watching) {
			for _, text := range []string{"one", "two"} {
				write(t, filepath.Join(dir, "config.yaml.tmp"), text)
				require.NoError(t, os.Rename(filepath.Join(dir, "config.yaml.tmp"), filepath.Join(dir, "config.yaml")))
				w.told(t)
			}
		},
		"a file is removed": func(t *testing.T, dir string, w *watching) {
			require.NoError(t, os.Remove(filepath.Join(dir, "config.yaml")))
			w.told(t)
		},
		"a file is truncated and completed": func(t *testing.T, dir string, w *watching) {
			path := filepath.Join(dir, "config.yaml")
			require.NoError(t, os.Truncate(path, 0))
			for _, text := range []string{"a", "ab", "abc"} {
				write(t, path, text)
			}
			w.told(t)
		},
		"a link to a file elsewhere, and that file changes": func(t *testing.T, dir string, w *watching) {
			elsewhere := filepath.Join(t.TempDir(), "data.yaml")
			write(t, elsewhere, "one")
			require.NoError(t, os.Symlink(elsewhere, filepath.Join(dir, "data.yaml")))
			w.told(t)
			write(t, elsewhere, "two")
			w.told(t)
		},
	})
}

func TestChangesOfDirectoriesAreNoticed(t *testing.T) {
	t.Parallel()
	checkNoticed(t, map[string]func(t *testing.T, dir string, w *watching){
		"a file appears in new directories, and changes there": func(t *testing.T, dir string, w *watching) {
			deep := mkdir(t, filepath.Join(dir, "x", "y", "z"))
			write(t, filepath.Join(deep, "c.rego"), "package custom.c")
			w.told(t)
			write(t, filepath.Join(deep, "c.rego"), "package custom.d")
			w.told(t)
		},
		"a directory is removed, and comes back": func(t *testing.T, dir string, w *watching) {
			sub := filepath.Join(dir, "custom")
			require.NoError(t, os.RemoveAll(sub))
			w.told(t)
			write(t, filepath.Join(mkdir(t, sub), "a.rego"), "package custom.again")
			w.told(t)
			write(t, filepath.Join(sub, "a.rego"), "package custom.more")
			w.told(t)
		},
		"a directory is renamed, and its files change": func(t *testing.T, dir string, w *watching) {
			require.NoError(t, os.Rename(filepath.Join(dir, "custom"), filepath.Join(dir, "renamed")))
			w.told(t)
			write(t, filepath.Join(dir, "renamed", "a.rego"), "package custom.more")
			w.told(t)
		},
		"the whole path vanishes, and comes back": func(t *testing.T, dir string, w *watching) {
			require.NoError(t, os.RemoveAll(dir))
			w.told(t)
			write(t, filepath.Join(mkdir(t, dir), "config.yaml"), "back: true")
			w.told(t)
			write(t, filepath.Join(dir, "config.yaml"), "back: again")
			w.told(t)
		},
		"the whole path vanishes, and comes back as it was": func(t *testing.T, dir string, w *watching) {
			away := dir + ".away"
			require.NoError(t, os.Rename(dir, away))
			w.told(t)
			require.NoError(t, os.Rename(away, dir))
			w.told(t)
		},
		"the directories above vanish, too": func(t *testing.T, dir string, w *watching) {
			require.NoError(t, os.RemoveAll(filepath.Dir(dir)))
			w.told(t)
			write(t, filepath.Join(mkdir(t, dir), "config.yaml"), "back: true")
			w.told(t)
		},
	})
}

func TestOneFileIsWatched(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "bundle.tar.gz")
	write(t, path, "one")
	w := start(t, eventsOnly(path))
	write(t, path+".new", "two")
	require.NoError(t, os.Rename(path+".new", path))
	w.told(t)
	require.NoError(t, os.Remove(path))
	w.told(t)
	write(t, path, "three")
	w.told(t)
}

func TestAPathThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "config.yaml")
	w := start(t, eventsOnly(path))
	mkdir(t, filepath.Dir(path))
	write(t, path, "one")
	w.told(t)
}

func TestWatchesOfRemovedDirectoriesAreDropped(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	w := &watcher{path: dir, debounce: time.Hour}
	w.logger = discard()
	w.listen()
	require.NotNil(t, w.events)
	defer func() { assert.NoError(t, w.events.Close()) }()
	w.look()
	assert.Len(t, w.events.WatchList(), 3, "the tree's two directories and the one above")
	require.NoError(t, os.Rename(filepath.Join(dir, "custom"), filepath.Join(t.TempDir(), "away")))
	w.look()
	assert.Len(t, w.events.WatchList(), 2)
}

func TestWatchRefuses(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	assert.ErrorContains(t, Watch(ctx, Config{}, func() {}), "no path")
	assert.ErrorContains(t, Watch(ctx, Config{Path: "x"}, nil), "no function to call")
	assert.ErrorContains(t, Watch(ctx, Config{Path: "x", Debounce: -1}, func() {}), "negative")
	assert.ErrorContains(t, Watch(ctx, Config{Path: "x", Poll: -1}, func() {}), "negative")
}

// A log that is written beside the policy says nothing about it.
func TestOnlyNamesOnTheWayToThePolicyAreLookedAt(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	mkdir(t, filepath.Join(dir, "v1", "policy", "below"))
	require.NoError(t, os.Symlink("v1", filepath.Join(dir, "current")))
	w := &watcher{path: filepath.Join(dir, "current", "policy")}
	w.see()
	for name, want := range map[string]bool{
		"current": true, "v1": true, "v1/policy": true, "v1/POLICY": true, "v1/policy/config.yaml": true, "v1/policy/below/x": true,
		"decisions.jsonl": false, "v2": false, "v1/decisions.jsonl": false, "v1/policy.bak": false,
	} {
		assert.Equal(t, want, w.concerns(filepath.Join(dir, name)), name)
	}
	assert.True(t, w.concerns(""), "an event without a name")
	missing := &watcher{path: filepath.Join(dir, "a", "b", "policy")}
	missing.see()
	assert.True(t, missing.concerns(filepath.Join(dir, "a")))
	assert.False(t, missing.concerns(filepath.Join(dir, "b")))
}
