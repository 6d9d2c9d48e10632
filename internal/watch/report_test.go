package watch

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
	assert.Contains(t, log.String(), "report_test.go", "with its stack")
}
