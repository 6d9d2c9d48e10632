package watch

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	patience = 20 * time.Second
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

func TestChangesAreNoticed(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, dir string, w *watching){
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
	}
	modes := map[string]func(string) Config{"by events": eventsOnly, "by polling": pollOnly}
	for mode, config := range modes {
		for name, test := range tests {
			t.Run(mode+" "+name, func(t *testing.T) {
				t.Parallel()
				dir := tree(t)
				test(t, dir, start(t, config(dir)))
			})
		}
	}
}

// mount is a directory as Kubernetes mounts a ConfigMap, with version 1.
func mount(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	version(t, dir, "..2026_01", "one")
	require.NoError(t, os.Symlink("..2026_01", filepath.Join(dir, "..data")))
	require.NoError(t, os.Symlink("..data/config.yaml", filepath.Join(dir, "config.yaml")))
	return dir
}

func version(t *testing.T, dir, name, text string) {
	t.Helper()
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, name)), "config.yaml"), text)
}

// swap makes ..data point to another version, as the kubelet does.
func swap(t *testing.T, dir, to, old string) {
	t.Helper()
	require.NoError(t, os.Symlink(to, filepath.Join(dir, "..data_tmp")))
	require.NoError(t, os.Rename(filepath.Join(dir, "..data_tmp"), filepath.Join(dir, "..data")))
	require.NoError(t, os.RemoveAll(filepath.Join(dir, old)))
}

func TestKubernetesSwapsAreNoticed(t *testing.T) {
	t.Parallel()
	for name, path := range map[string]string{"the mount is watched": ".", "one file of it is watched": "config.yaml"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mount(t)
			w := start(t, eventsOnly(filepath.Join(dir, path)))
			version(t, dir, "..2026_02", "two")
			swap(t, dir, "..2026_02", "..2026_01")
			w.told(t)
			version(t, dir, "..2026_03", "three")
			swap(t, dir, "..2026_03", "..2026_02")
			w.told(t)
		})
	}
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

func TestALinkOnTheWayIsReplaced(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v1", "policy")), "config.yaml"), "one")
	write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v2", "policy")), "config.yaml"), "two")
	require.NoError(t, os.Symlink("v1", filepath.Join(dir, "current")))
	w := start(t, eventsOnly(filepath.Join(dir, "current", "policy")))
	require.NoError(t, os.Symlink("v2", filepath.Join(dir, "next")))
	require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
	w.told(t)
}

func TestALinkBehindALinkIsReplaced(t *testing.T) {
	t.Parallel()
	for name, links := range map[string][][2]string{
		"the policy leads to what is replaced": {{"current", "v1"}, {"link", "current/policy"}},
		"a link behind a link":                 {{"current", "v1"}, {"stable", "current"}, {"link", "stable/policy"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v1", "policy")), "config.yaml"), "one")
			write(t, filepath.Join(mkdir(t, filepath.Join(dir, "v2", "policy")), "config.yaml"), "two")
			for _, link := range links {
				require.NoError(t, os.Symlink(link[1], filepath.Join(dir, link[0])))
			}
			w := start(t, eventsOnly(filepath.Join(dir, "link")))
			require.NoError(t, os.Symlink("v2", filepath.Join(dir, "next")))
			require.NoError(t, os.Rename(filepath.Join(dir, "next"), filepath.Join(dir, "current")))
			w.told(t)
		})
	}
}

func TestAPathThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "config.yaml")
	w := start(t, eventsOnly(path))
	mkdir(t, filepath.Dir(path))
	write(t, path, "one")
	w.told(t)
}

func TestUnchangedContentIsNotReported(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, dir string){
		"a touched file": func(t *testing.T, dir string) {
			now := time.Now()
			require.NoError(t, os.Chtimes(filepath.Join(dir, "config.yaml"), now, now))
		},
		"the same contents again": func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, "new"), "tools: {}")
			require.NoError(t, os.Rename(filepath.Join(dir, "new"), filepath.Join(dir, "config.yaml")))
		},
		"an editor's temporary files": func(t *testing.T, dir string) {
			for _, name := range []string{".config.yaml.swp", "config.yaml~", "4913", "x.tmp", ".#config.yaml"} {
				write(t, filepath.Join(dir, name), "x")
			}
			write(t, filepath.Join(mkdir(t, filepath.Join(dir, ".git")), "HEAD"), "x")
		},
		"an empty directory":    func(t *testing.T, dir string) { mkdir(t, filepath.Join(dir, "empty")) },
		"a neighbour's changes": func(t *testing.T, dir string) { write(t, dir+".neighbour", "x") },
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t)
			// One watcher, driven by hand: the burst, then as many looks as it
			// takes to be sure.
			calls := 0
			w := &watcher{path: dir, debounce: time.Hour, changed: func() { calls++ }}
			w.known = w.look()
			test(t, dir)
			for range 3 {
				w.step()
			}
			assert.Zero(t, calls)
			write(t, filepath.Join(dir, "config.yaml"), "real change")
			w.step()
			assert.Zero(t, calls, "one look is not enough")
			w.step()
			assert.Equal(t, 1, calls)
		})
	}
}

func TestATreeInMotion(t *testing.T) {
	t.Parallel()
	dir := tree(t)
	calls := 0
	w := &watcher{path: dir, debounce: time.Hour, changed: func() { calls++ }}
	w.known = w.look()
	for i := range maxLooks {
		write(t, filepath.Join(dir, "config.yaml"), strings.Repeat("x", i))
		w.step()
	}
	assert.Zero(t, calls, "it never came to rest")
	write(t, filepath.Join(dir, "config.yaml"), "still moving")
	w.step()
	assert.Equal(t, 1, calls, "it is told after so many looks anyway")
}

func TestChangesDuringACallAreReportedAfterwards(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "config.yaml")
	write(t, path, "one")
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	calls := 0
	require.NoError(t, Watch(ctx, Config{Path: path, Debounce: brief, Poll: time.Hour, Known: "something else"}, func() {
		calls++
		switch calls {
		case 1:
			write(t, path, "two, during the call")
		case 2:
			cancel()
		}
	}))
	assert.Equal(t, 2, calls)
}

func TestACallThatPanicsIsLoggedAndTheNextChangeIsReported(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	require.NoError(t, os.WriteFile(path, []byte("a"), 0o600))
	var log bytes.Buffer
	cfg := pollOnly(path)
	cfg.Known, cfg.Logger = "nothing yet", slog.New(slog.NewTextHandler(&log, nil))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	calls := 0
	require.NoError(t, Watch(ctx, cfg, func() {
		if calls++; calls == 1 {
			require.NoError(t, os.WriteFile(path, []byte("b"), 0o600))
			panic("a bug")
		}
		cancel()
	}))
	assert.Equal(t, 2, calls)
	assert.Contains(t, log.String(), "a bug")
	assert.Contains(t, log.String(), "watch_test.go", "with its stack")
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
