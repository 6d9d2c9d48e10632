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
		"a path and a writer":                {Config{Path: "x", Writer: &memory{}}, "choose one"},
		"a negative size":                    {Config{Path: "x", MaxSizeMB: -1}, "MaxSizeMB -1"},
		"a negative queue":                   {Config{Path: "x", QueueBytes: -1}, "queue of -1"},
		"a queue that would fill memory":     {Config{Path: "x", QueueBytes: maxQueue + 1}, "queue of"},
		"a negative retry":                   {Config{Path: "x", Retry: -1}, "Retry"},
		"a strict log that cannot be synced": {Config{Writer: &memory{}, Strict: true}, "needs a file"},
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
		"a file with another name":        {"twice.log", "2 hard links"},
		"a dangling symbolic link":        {"dangling.log", "a symbolic link"},
		"a directory":                     {".", "a directory"},
		"a file that others may write":    {"shared.log", "chmod go-w"},
		"a directory that does not exist": {"none/x.log", "existing, writable directory"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log, err := New(Config{Path: filepath.Join(dir, test.name)})
			require.NoError(t, err)
			assert.ErrorContains(t, log.Open(), test.want)
			assert.ErrorIs(t, log.Record(context.Background(), eventOf("d", nil)), ErrNotOpen)
			assert.NoError(t, log.Close(context.Background()), "closing what never opened is not an error")
		})
	}
	assert.NoFileExists(t, filepath.Join(dir, "absent"))
}

func TestFileIsPrivateAppendedAndRotated(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "decisions.log")
	const events = 60
	for round := range 2 {
		log := open(t, Config{Path: path, MaxSizeMB: 1, MaxBackups: 10})
		for i := range events {
			event := eventOf(fmt.Sprintf("%d-%d", round, i), large())
			require.NoError(t, log.Record(context.Background(), event))
		}
		shut(t, log)
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
		for _, line := range decoded(t, string(text)) {
			seen[fmt.Sprint(line["decision_id"])] = true
		}
	}
	assert.Len(t, seen, 2*events)
}

func TestASlowWriterBlocksAndLosesNothing(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	out := &memory{gate: make(chan struct{})}
	log := open(t, Config{Writer: out, QueueBytes: 2 * maxLine, Registry: registry})
	const events = 50
	var recorders sync.WaitGroup
	for i := range events {
		recorders.Go(func() {
			assert.NoError(t, log.Record(context.Background(), eventOf(fmt.Sprint(i), large())))
		})
	}
	require.Eventually(t, func() bool { return valueOf(log.metrics.blocked) > 0 }, patience, time.Millisecond)
	close(out.gate)
	recorders.Wait()
	shut(t, log)
	seen := map[any]bool{}
	for _, line := range decoded(t, out.String()) {
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

// large is parameters that make a line of some 50 KB.
func large() map[string]any {
	params := map[string]any{}
	for i := range 12 {
		params[fmt.Sprint("part", i)] = strings.Repeat("x", maxText)
	}
	return params
}

// fill occupies the writer and the queue of one, so that the next Record waits.
func fill(t *testing.T, log *Log, out *memory) {
	t.Helper()
	require.NoError(t, log.Record(context.Background(), eventOf("in the writer", nil)))
	require.Eventually(t, func() bool { return out.waits.Load() == 1 }, patience, time.Millisecond)
	require.NoError(t, log.Record(context.Background(), eventOf("in the queue", large())))
}

func TestAWaitingRecord(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		end  func(cancel context.CancelFunc, log *Log, out *memory)
		want error
	}{
		"ends with its context": {func(cancel context.CancelFunc, _ *Log, _ *memory) { cancel() }, context.Canceled},
		"is refused when the log breaks": {func(_ context.CancelFunc, _ *Log, out *memory) {
			out.set(errors.New("disk full"), 0)
			out.gate <- struct{}{}
			out.gate <- struct{}{}
		}, ErrBroken},
		"is refused when the log closes": {func(_ context.CancelFunc, log *Log, _ *memory) {
			ended, cancel := context.WithCancel(context.Background())
			cancel()
			_ = log.Close(ended)
		}, ErrClosed},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := &memory{gate: make(chan struct{})}
			log := open(t, Config{Writer: out, QueueBytes: maxLine, Retry: time.Millisecond})
			fill(t, log, out)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			result := make(chan error, 1)
			go func() { result <- log.Record(ctx, eventOf("waits", large())) }()
			require.Eventually(t, func() bool { return valueOf(log.metrics.blocked) == 1 }, patience, time.Millisecond)
			test.end(cancel, log, out)
			assert.ErrorIs(t, <-result, test.want)
			out.set(nil, 0)
			close(out.gate)
			_ = log.Close(context.Background())
			<-log.done
			assert.NotContains(t, out.String(), `"waits"`)
		})
	}
}

func TestAnEventIsWrittenEvenIfItsContextHasEnded(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	require.NoError(t, log.Record(ctx, eventOf("d", nil)))
	shut(t, log)
	assert.Len(t, decoded(t, out.String()), 1)
}

func TestClose(t *testing.T) {
	t.Parallel()
	t.Run("a log that stays broken says how much is lost", func(t *testing.T) {
		t.Parallel()
		out := &memory{err: errors.New("no space left")}
		log := open(t, Config{Writer: out, Retry: time.Millisecond})
		require.NoError(t, log.Record(context.Background(), eventOf("d", nil)))
		require.Eventually(t, func() bool { return log.health.Load().err != nil }, patience, time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err := log.Close(ctx)
		require.ErrorIs(t, err, ErrBroken)
		require.ErrorContains(t, err, "1 events")
		<-log.done
	})
	t.Run("may be called by many at once", func(t *testing.T) {
		t.Parallel()
		log := open(t, Config{Writer: &memory{}})
		var closers sync.WaitGroup
		for range 8 {
			closers.Go(func() { assert.NoError(t, log.Close(context.Background())) })
		}
		closers.Wait()
		assert.ErrorIs(t, log.Record(context.Background(), eventOf("d", nil)), ErrClosed)
		assert.Error(t, log.Open(), "a log opens once")
	})
}

func TestEverythingAcceptedWhileClosingIsWritten(t *testing.T) {
	t.Parallel()
	out := &memory{}
	log := open(t, Config{Writer: out, QueueBytes: maxLine})
	var mu sync.Mutex
	accepted := 0
	var recorders sync.WaitGroup
	for worker := range 8 {
		recorders.Go(func() {
			for i := 0; ; i++ {
				if err := log.Record(context.Background(), eventOf(fmt.Sprintf("%d-%d", worker, i), nil)); err != nil {
					assert.ErrorIs(t, err, ErrClosed)
					return
				}
				mu.Lock()
				accepted++
				mu.Unlock()
			}
		})
	}
	require.Eventually(t, func() bool { return valueOf(log.metrics.events) > 100 }, patience, time.Millisecond)
	shut(t, log)
	recorders.Wait()
	assert.Len(t, decoded(t, out.String()), accepted)
}

func TestASecondLogOnOneRegistryIsRefused(t *testing.T) {
	t.Parallel()
	registry := prometheus.NewRegistry()
	_, err := New(Config{Writer: &memory{}, Registry: registry})
	require.NoError(t, err)
	_, err = New(Config{Writer: &memory{}, Registry: registry})
	assert.ErrorContains(t, err, "register metrics")
}

// nothing takes lines and forgets them.
type nothing struct{}

func (nothing) Write(p []byte) (int, error) { return len(p), nil }

func BenchmarkRecord(b *testing.B) {
	log, err := New(Config{Writer: nothing{}})
	require.NoError(b, err)
	require.NoError(b, log.Open())
	event := eventOf("6f1c3f2e-0000-4000-8000-000000000000", map[string]any{"command": "rg -n TODO src/ | head -5"})
	b.ReportAllocs()
	for b.Loop() {
		if err := log.Record(context.Background(), event); err != nil {
			b.Fatal(err)
		}
	}
	require.NoError(b, log.Close(context.Background()))
}
