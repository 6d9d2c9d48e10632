package decisionlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		cfg  Config
		want string
	}{
		"neither a path nor a writer":        {Config{Path: "-"}, "neither Path nor Writer"},
		"a path and a writer":                {Config{Path: "x", Writer: &memoryWriter{}}, "choose one"},
		"a negative size":                    {Config{Path: "x", MaxSizeMB: -1}, "MaxSizeMB -1"},
		"a negative queue":                   {Config{Path: "x", QueueBytes: -1}, "queue of -1"},
		"a queue that would fill memory":     {Config{Path: "x", QueueBytes: maxQueue + 1}, "queue of"},
		"a negative retry":                   {Config{Path: "x", Retry: -1}, "Retry"},
		"a strict log that cannot be synced": {Config{Writer: &memoryWriter{}, Strict: true}, "needs a file"},
		"a label that claims another app":    {Config{Path: "x", Labels: map[string]string{"app": "opa"}}, `"opa"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := New(test.cfg)
			assert.ErrorContains(t, err, test.want)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "real.log")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	require.NoError(t, os.Symlink(file, filepath.Join(dir, "link.log")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "absent"), filepath.Join(dir, "dangling.log")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "twice.log"), nil, 0o600))
	require.NoError(t, os.Link(filepath.Join(dir, "twice.log"), filepath.Join(dir, "another name")))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "shared.log"), nil, 0o600))
	require.NoError(t, os.Chmod(filepath.Join(dir, "shared.log"), 0o666))
	tests := map[string]struct{ name, want string }{
		"a symbolic link":                 {"link.log", "a symbolic link"},
		"a file with a hard link":         {"twice.log", "2 hard links"},
		"a dangling symbolic link":        {"dangling.log", "a symbolic link"},
		"a directory":                     {".", "a directory"},
		"a file that others may write":    {"shared.log", "chmod go-w"},
		"a directory that does not exist": {"none/x.log", "create the log file: open "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, err := New(Config{Path: filepath.Join(dir, test.name)})
			require.NoError(t, err)
			assert.ErrorContains(t, log.Open(), test.want)
			assert.ErrorIs(t, log.Record(context.Background(), newEvent("d", nil)), ErrNotOpen)
			assert.NoError(t, log.Close(context.Background()), "closing a log that was never opened is not an error")
		})
	}
	assert.NoFileExists(t, filepath.Join(dir, "absent"))
}

func TestFileIsPrivateAppendedAndRotated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "decisions.log")
	const events = 60
	for round := range 2 {
		log := openLog(t, Config{Path: path, MaxSizeMB: 1, MaxBackups: 10})
		for i := range events {
			event := newEvent(fmt.Sprintf("%d-%d", round, i), largeParams())
			require.NoError(t, log.Record(context.Background(), event))
		}
		closeLog(t, log)
	}
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "decisions*.log"))
	require.NoError(t, err)
	assert.Greater(t, len(files), 2, "6 MB in files of 1 MB")
	seen := map[string]bool{}
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
		assert.LessOrEqual(t, info.Size(), int64(1<<20))
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, line := range decodeLines(t, string(text)) {
			seen[fmt.Sprint(line["decision_id"])] = true
		}
	}
	assert.Len(t, seen, 2*events)
}

func TestSlowWriterBlocksAndLosesNothing(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	out := &memoryWriter{gate: make(chan struct{})}
	log := openLog(t, Config{Writer: out, QueueBytes: 2 * maxLine, Registry: registry})
	const events = 50
	var recorders sync.WaitGroup
	for i := range events {
		recorders.Go(func() {
			assert.NoError(t, log.Record(context.Background(), newEvent(fmt.Sprint(i), largeParams())))
		})
	}
	require.Eventually(t, func() bool { return valueOf(log.metrics.blocked) > 0 }, testTimeout, time.Millisecond)
	close(out.gate)
	recorders.Wait()
	closeLog(t, log)
	seen := map[any]bool{}
	for _, line := range decodeLines(t, out.String()) {
		seen[line["decision_id"]] = true
	}
	assert.Len(t, seen, events)
	assert.EqualValues(t, events, valueOf(log.metrics.events))
	assert.EqualValues(t, len(out.String()), valueOf(log.metrics.bytes))
	families, err := registry.Gather()
	require.NoError(t, err)
	var names []string
	for _, family := range families {
		names = append(names, family.GetName())
	}
	assert.Equal(t, []string{"gavel_decision_log_blocked_total", "gavel_decision_log_bytes_total",
		"gavel_decision_log_errors_total", "gavel_decision_log_events_total",
		"gavel_decision_log_mask_errors_total", "gavel_decision_log_pruned_total", "gavel_decision_log_queue_bytes",
		"gavel_decision_log_queue_events", "gavel_decision_log_reopened_total", "gavel_decision_log_suppressed_total"}, names)
}

// largeParams returns parameters whose line has about 50 KB.
func largeParams() map[string]any {
	params := map[string]any{}
	for i := range 12 {
		params[fmt.Sprint("part", i)] = strings.Repeat("x", maxText)
	}
	return params
}

// fillQueue blocks the writer with one event and fills the queue with another, so that the next
// Record waits.
func fillQueue(t *testing.T, log *Log, out *memoryWriter) {
	t.Helper()
	require.NoError(t, log.Record(context.Background(), newEvent("in the writer", nil)))
	require.Eventually(t, func() bool { return out.waiting.Load() == 1 }, testTimeout, time.Millisecond)
	require.NoError(t, log.Record(context.Background(), newEvent("in the queue", largeParams())))
}

func TestWaitingRecord(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end  func(cancel context.CancelFunc, log *Log, out *memoryWriter)
		want error
	}{
		"ends with its context": {func(cancel context.CancelFunc, _ *Log, _ *memoryWriter) { cancel() }, context.Canceled},
		"is refused when the log breaks": {func(_ context.CancelFunc, _ *Log, out *memoryWriter) {
			out.fail(errors.New("disk full"), 0)
			out.gate <- struct{}{}
			out.gate <- struct{}{}
		}, ErrBroken},
		"is refused when the log closes": {func(_ context.CancelFunc, log *Log, _ *memoryWriter) {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_ = log.Close(ended)
		}, ErrClosed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &memoryWriter{gate: make(chan struct{})}
			log := openLog(t, Config{Writer: out, QueueBytes: maxLine, Retry: time.Millisecond})
			fillQueue(t, log, out)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			result := make(chan error, 1)
			go func() { result <- log.Record(ctx, newEvent("waits", largeParams())) }()
			require.Eventually(t, func() bool { return valueOf(log.metrics.blocked) == 1 }, testTimeout, time.Millisecond)
			test.end(cancel, log, out)
			assert.ErrorIs(t, <-result, test.want)
			out.fail(nil, 0)
			close(out.gate)
			_ = log.Close(context.Background())
			<-log.done
			assert.NotContains(t, out.String(), `"waits"`)
		})
	}
}

func TestEventIsAcceptedAfterItsContextEnded(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, log.Record(ctx, newEvent("d", nil)))
	closeLog(t, log)
	assert.Len(t, decodeLines(t, out.String()), 1)
}

func TestClose(t *testing.T) {
	t.Parallel()
	t.Run("a log that stays broken says how many events are lost", func(t *testing.T) {
		t.Parallel()
		out := &memoryWriter{err: errors.New("no space left")}
		log := openLog(t, Config{Writer: out, Retry: time.Millisecond})
		require.NoError(t, log.Record(context.Background(), newEvent("d", nil)))
		require.Eventually(t, func() bool { return log.health.Load().err != nil }, testTimeout, time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := log.Close(ctx)
		require.ErrorIs(t, err, ErrBroken)
		require.ErrorContains(t, err, "1 events")
		<-log.done
	})
	t.Run("may be called concurrently", func(t *testing.T) {
		t.Parallel()
		log := openLog(t, Config{Writer: &memoryWriter{}})
		var closers sync.WaitGroup
		for range 8 {
			closers.Go(func() { assert.NoError(t, log.Close(context.Background())) })
		}
		closers.Wait()
		assert.ErrorIs(t, log.Record(context.Background(), newEvent("d", nil)), ErrClosed)
		assert.Error(t, log.Open(), "a log can be opened only once")
	})
}

func TestEverythingAcceptedWhileClosingIsWritten(t *testing.T) {
	t.Parallel()
	out := &memoryWriter{}
	log := openLog(t, Config{Writer: out, QueueBytes: maxLine})
	var mu sync.Mutex
	accepted := 0
	var recorders sync.WaitGroup
	for worker := range 8 {
		recorders.Go(func() {
			for i := 0; ; i++ {
				if err := log.Record(context.Background(), newEvent(fmt.Sprintf("%d-%d", worker, i), nil)); err != nil {
					assert.ErrorIs(t, err, ErrClosed)
					return
				}
				mu.Lock()
				accepted++
				mu.Unlock()
			}
		})
	}
	require.Eventually(t, func() bool { return valueOf(log.metrics.events) > 100 }, testTimeout, time.Millisecond)
	closeLog(t, log)
	recorders.Wait()
	assert.Len(t, decodeLines(t, out.String()), accepted)
}

func TestSecondLogOnOneRegistryIsRefused(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	_, err := New(Config{Writer: &memoryWriter{}, Registry: registry})
	require.NoError(t, err)
	_, err = New(Config{Writer: &memoryWriter{}, Registry: registry})
	assert.ErrorContains(t, err, "register metrics")
}

// discard is a writer that discards its input.
type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkRecord(b *testing.B) {
	log, err := New(Config{Writer: discard{}})
	require.NoError(b, err)
	require.NoError(b, log.Open())
	event := newEvent("6f1c3f2e-0000-4000-8000-000000000000", map[string]any{"command": "rg -n TODO src/ | head -5"})
	b.ReportAllocs()
	for b.Loop() {
		if err := log.Record(context.Background(), event); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, log.Close(context.Background()))
}
