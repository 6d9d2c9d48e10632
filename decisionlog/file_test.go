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

// logIn opens a log in a directory of its own, and returns its path.
func logIn(t *testing.T, cfg Config) (*Log, string) {
	t.Helper()
	if cfg.Path == "" {
		cfg.Path = filepath.Join(t.TempDir(), "decisions.jsonl")
	}
	cfg.Retry = time.Millisecond
	return open(t, cfg), cfg.Path
}

// record records an event and waits until it is written.
func record(t *testing.T, log *Log, id string) {
	t.Helper()
	require.NoError(t, log.Record(context.Background(), eventOf(id, nil)))
	require.Eventually(t, func() bool { lines, _ := log.queue.waiting(); return lines == 0 }, patience, time.Millisecond)
}

// ids are the decisions of a file, and the kinds of its audit events, in order.
func ids(t *testing.T, path string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	for _, line := range decoded(t, string(text)) {
		if line["type"] == typeAudit {
			all = append(all, fmt.Sprint(line["kind"]))
			continue
		}
		all = append(all, fmt.Sprint(line["decision_id"]))
	}
	return all
}

func TestRT24ATornLastLineIsTerminatedAndKept(t *testing.T) {
	t.Parallel()
	for name, torn := range map[string]string{
		"half a line":              `{"decision_id":"torn`,
		"one byte":                 "{",
		"a line without its end":   `{"decision_id":"torn"}`,
		"zeros, as after a crash":  strings.Repeat("\x00", 10_000),
		"more than is looked at":   strings.Repeat("x", maxTorn+10),
		"as much as is looked at":  strings.Repeat("x", maxTorn),
		"as much as is read first": strings.Repeat("x", 4096),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "decisions.jsonl")
			before := `{"decision_id":"whole"}` + "\n" + torn
			require.NoError(t, os.WriteFile(path, []byte(before), 0o600))
			log, _ := logIn(t, Config{Path: path, MaxSizeMB: 10})
			record(t, log, "next")
			shut(t, log)
			after, err := os.ReadFile(path)
			require.NoError(t, err)
			rest, ok := strings.CutPrefix(string(after), before+"\n")
			require.True(t, ok, "every byte is there")
			lines := decoded(t, rest)
			require.Len(t, lines, 2)
			assert.Equal(t, kindRepaired, lines[0]["kind"])
			assert.EqualValues(t, min(len(torn), maxTorn), dig(t, lines[0], "detail", "bytes"))
			assert.Equal(t, "next", lines[1]["decision_id"])
		})
	}
	t.Run("a whole file is left unchanged", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "decisions.jsonl")
		require.NoError(t, os.WriteFile(path, []byte(`{"decision_id":"whole"}`+"\n"), 0o600))
		log, _ := logIn(t, Config{Path: path})
		record(t, log, "next")
		shut(t, log)
		assert.Equal(t, []string{"whole", "next"}, ids(t, path))
	})
}

func TestRT27ARemovedFileIsNoticed(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		take  func(t *testing.T, path string)
		after []string // in the file of that name
		moved []string // in path.1, as logrotate names it
	}{
		"renamed": {func(t *testing.T, path string) { require.NoError(t, os.Rename(path, path+".1")) },
			[]string{kindReopened, "two"}, []string{"one"}},
		"renamed and made again": {func(t *testing.T, path string) {
			require.NoError(t, os.Rename(path, path+".1"))
			require.NoError(t, os.WriteFile(path, nil, 0o600))
		}, []string{kindReopened, "two"}, []string{"one"}},
		"removed": {func(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }, []string{kindReopened, "two"}, nil},
		"replaced by a file with half a line": {func(t *testing.T, path string) {
			require.NoError(t, os.Remove(path))
			require.NoError(t, os.WriteFile(path, []byte(`{"decision_id":"other"}`), 0o600))
		}, []string{"other", kindRepaired, kindReopened, "two"}, nil},
		"copied and emptied": {func(t *testing.T, path string) {
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
				log, path := logIn(t, Config{Strict: strict})
				record(t, log, "one")
				test.take(t, path)
				record(t, log, "two")
				assert.InDelta(t, 1, valueOf(log.metrics.reopened), 0)
				shut(t, log)
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

func TestRT27ALogThatCannotBeCreatedAgainDenies(t *testing.T) {
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
		"a file that others may write": {func(t *testing.T, path string) {
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
			log, path := logIn(t, Config{Path: filepath.Join(dir, "decisions.jsonl"), Strict: true})
			record(t, log, "one")
			require.NoError(t, os.Remove(path))
			test.put(t, path)
			err := log.Record(context.Background(), eventOf("two", nil))
			require.ErrorIs(t, err, ErrBroken)
			require.ErrorContains(t, err, test.want)
			require.NoError(t, os.RemoveAll(path))
			require.NoError(t, os.MkdirAll(dir, 0o700))
			require.Eventually(t, func() bool { return log.Record(context.Background(), eventOf("three", nil)) == nil }, patience, time.Millisecond)
			shut(t, log)
			all := ids(t, path)
			assert.Equal(t, kindReopened, all[0])
			assert.Equal(t, "three", all[len(all)-1])
		})
	}
}

func TestRT27NoLineIsLostWhenTheFileIsRemovedDuringAWrite(t *testing.T) {
	t.Parallel()
	log, path := logIn(t, Config{})
	record(t, log, "one")
	shut(t, log)
	sink, err := log.openSink()
	require.NoError(t, err)
	_, err = sink.Ready(4)
	require.NoError(t, err)
	require.NoError(t, os.Remove(path)) // after Gavel has looked
	_, err = sink.Write([]byte("{}\n\n"))
	require.NoError(t, err)
	require.ErrorIs(t, sink.Commit(false), errUnlinked)
	again, err := sink.Ready(4)
	require.NoError(t, err)
	assert.True(t, again, "it is written again, to another file")
	require.NoError(t, sink.Close())
	assert.FileExists(t, path)
}

// moving is a sink that takes some bytes of the first write only, and then goes to another place.
type moving struct {
	places []string
	writes int
}

func (m *moving) Ready(int) (bool, error) {
	if m.writes != 1 && len(m.places) > 0 {
		return false, nil
	}
	m.places = append(m.places, "")
	return true, nil
}

func (m *moving) Write(p []byte) (int, error) {
	if m.writes++; m.writes == 1 {
		p = p[:len(p)-3]
	}
	m.places[len(m.places)-1] += string(p)
	return len(p), nil
}

func (m *moving) Commit(bool) error { return nil }

func (m *moving) Close() error { return nil }

func TestNoLineIsSplitBetweenTwoFiles(t *testing.T) {
	t.Parallel()
	log, err := New(Config{Writer: &memory{}})
	require.NoError(t, err)
	to := &moving{places: []string{""}}
	w := &writer{log: log, sink: to}
	_, _, why := log.queue.put("a", []byte("one\n"), time.Now())
	require.Empty(t, why)
	_, _, why = log.queue.put("a", []byte("twotwo\n"), time.Now())
	require.Empty(t, why)
	list, _ := log.queue.take()
	w.flush(t.Context(), list)
	assert.Equal(t, []string{"one\ntwot", "twotwo\n"}, to.places)
}
