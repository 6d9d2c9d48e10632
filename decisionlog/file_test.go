package decisionlog

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// openFileLog opens a log, by default in a new directory, and returns its path.
func openFileLog(t *testing.T, cfg Config) (*Log, string) {
	t.Helper()
	if cfg.Path == "" {
		cfg.Path = filepath.Join(t.TempDir(), "decisions.jsonl")
	}
	cfg.Retry = time.Millisecond
	return openLog(t, cfg), cfg.Path
}

// recordAndWait records an event and waits until it is written.
func recordAndWait(t *testing.T, log *Log, id string) {
	t.Helper()
	require.NoError(t, log.Record(context.Background(), newEvent(id, nil)))
	require.Eventually(t, func() bool { lines, _ := log.queue.waiting(); return lines == 0 }, testTimeout, time.Millisecond)
}

// ids returns the ids of a file's decisions and the kinds of its audit events, in order.
func ids(t *testing.T, path string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, line := range decodeLines(t, string(text)) {
		if line["type"] == typeAudit {
			all = append(all, fmt.Sprint(line["kind"]))
			continue
		}
		all = append(all, fmt.Sprint(line["decision_id"]))
	}
	return all
}

func TestRT24TornTailIsTerminatedAndKept(t *testing.T) {
	t.Parallel()
	for name, torn := range map[string]string{
		"part of a line":                   `{"decision_id":"torn`,
		"one byte":                         "{",
		"a line without a line feed":       `{"decision_id":"torn"}`,
		"zeros, as after a crash":          strings.Repeat("\x00", 10_000),
		"longer than the limit":            strings.Repeat("x", maxTornTail+10),
		"as long as the limit":             strings.Repeat("x", maxTornTail),
		"as long as the second block read": strings.Repeat("x", 4096),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "decisions.jsonl")
			before := `{"decision_id":"whole"}` + "\n" + torn
			require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
			log, _ := openFileLog(t, Config{Path: path, MaxSizeMB: 10})
			recordAndWait(t, log, "next")
			closeLog(t, log)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			rest, ok := strings.CutPrefix(string(after), before+"\n")
			require.True(t, ok, "every byte is kept")
			lines := decodeLines(t, rest)
			require.Len(t, lines, 2)
			assert.Equal(t, kindRepaired, lines[0]["kind"])
			assert.EqualValues(t, min(len(torn), maxTornTail), dig(t, lines[0], "detail", "bytes"))
			assert.Equal(t, "next", lines[1]["decision_id"])
		})
	}
	t.Run("a complete file is left unchanged", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "decisions.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(`{"decision_id":"whole"}`+"\n"), 0o600))
		log, _ := openFileLog(t, Config{Path: path})
		recordAndWait(t, log, "next")
		closeLog(t, log)
		assert.Equal(t, []string{"whole", "next"}, ids(t, path))
	})
}

func TestRT27RemovedOrReplacedFileIsNoticed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		take  func(t *testing.T, path string)
		after []string // ids in the file at path
		moved []string // ids in path.1, as logrotate would name it
	}{
		"renamed": {func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".1")) },
			[]string{kindReopened, "two"}, []string{"one"}},
		"renamed and created again": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+".1"))
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}, []string{kindReopened, "two"}, []string{"one"}},
		"removed": {func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }, []string{kindReopened, "two"}, nil},
		"replaced by a file with an incomplete line": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, []byte(`{"decision_id":"other"}`), 0o600))
		}, []string{"other", kindRepaired, kindReopened, "two"}, nil},
		"copied and truncated": {func(t *testing.T, path string) {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path+".1", text, 0o600))
			require.NoError(t, os.Truncate(path, 0))
		}, []string{kindTruncated, "two"}, []string{"one"}},
	}
	for name, test := range tests {
		for _, strict := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, strict %t", name, strict), func(t *testing.T) {
				t.Parallel()
				log, path := openFileLog(t, Config{Strict: strict})
				recordAndWait(t, log, "one")
				test.take(t, path)
				recordAndWait(t, log, "two")
				assert.InDelta(t, 1, valueOf(log.metrics.reopened), 0)
				closeLog(t, log)
				assert.Equal(t, test.after, ids(t, path))
				info, err := os.Stat(path)
				require.NoError(t, err)
				assert.Equal(t, fs.FileMode(0o600), info.Mode().Perm())
				if test.moved != nil {
					assert.Equal(t, test.moved, ids(t, path+".1"))
				}
			})
		}
	}
}

func TestRT27RecordFailsWhenTheFileCannotBeRecreated(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		put  func(t *testing.T, path string)
		want string
	}{
		"a directory in its place": {func(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }, "a directory"},
		"a link in its place": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path+".x", nil, 0o600))
			require.NoError(t, os.Symlink(path+".x", path))
		}, "a symbolic link"},
		"a file that others can write to": {func(t *testing.T, path string) {
			require.NoError(t, os.WriteFile(path, nil, 0o600))
			require.NoError(t, os.Chmod(path, 0o666))
		}, "chmod go-w"},
		"no directory": {func(t *testing.T, path string) { require.NoError(t, os.Remove(filepath.Dir(path))) }, "create the log file"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "log")
			require.NoError(t, os.Mkdir(dir, 0o700))
			log, path := openFileLog(t, Config{Path: filepath.Join(dir, "decisions.jsonl"), Strict: true})
			recordAndWait(t, log, "one")
			require.NoError(t, os.Remove(path))
			test.put(t, path)
			err := log.Record(context.Background(), newEvent("two", nil))
			require.ErrorIs(t, err, ErrBroken)
			require.ErrorContains(t, err, test.want)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.Eventually(t, func() bool { return log.Record(context.Background(), newEvent("three", nil)) == nil }, testTimeout, time.Millisecond)
			closeLog(t, log)
			all := ids(t, path)
			assert.Equal(t, kindReopened, all[0])
			assert.Equal(t, "three", all[len(all)-1])
		})
	}
}

func TestRT27NoLineIsLostWhenTheFileIsRemovedDuringAWrite(t *testing.T) {
	t.Parallel()
	log, path := openFileLog(t, Config{})
	recordAndWait(t, log, "one")
	closeLog(t, log)
	sink, err := log.openSink()
	require.NoError(t, err)
	_, err = sink.Prepare(4)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path)) // after Prepare has checked it
	_, err = sink.Write([]byte("{}\n\n"))
	require.NoError(t, err)
	require.ErrorIs(t, sink.Commit(false), errUnlinked)
	again, err := sink.Prepare(4)
	require.NoError(t, err)
	assert.True(t, again, "the line is written again, to another file")
	require.NoError(t, sink.Close())
	assert.FileExists(t, path)
}

// movingSink accepts only part of the first write, and then switches to another destination.
type movingSink struct {
	destinations []string
	writes       int
}

func (m *movingSink) Prepare(int) (bool, error) {
	if m.writes != 1 && len(m.destinations) > 0 {
		return false, nil
	}
	m.destinations = append(m.destinations, "")
	return true, nil
}

func (m *movingSink) Write(p []byte) (int, error) {
	if m.writes++; m.writes == 1 {
		p = p[:len(p)-3]
	}
	m.destinations[len(m.destinations)-1] += string(p)
	return len(p), nil
}

func (m *movingSink) Commit(bool) error { return nil }

func (m *movingSink) Close() error { return nil }

func TestNoLineIsSplitBetweenTwoFiles(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memoryWriter{}})
	require.NoError(t, err)
	to := &movingSink{destinations: []string{""}}
	w := &writer{log: log, sink: to}
	_, _, why := log.queue.put("a", []byte("one\n"), time.Now())
	require.Empty(t, why)
	_, _, why = log.queue.put("a", []byte("twotwo\n"), time.Now())
	require.Empty(t, why)
	list, _ := log.queue.take()
	w.flush(t.Context(), list)
	assert.Equal(t, []string{"one\ntwot", "twotwo\n"}, to.destinations)
}
