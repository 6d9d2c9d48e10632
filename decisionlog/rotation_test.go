package decisionlog

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRT21OldFilesAreRemovedAndListed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	old := func(days int) string {
		return fmt.Sprintf("decisions-%s.jsonl", now.AddDate(0, 0, -days).Format(rotatedTimeFormat))
	}
	for name, c := range map[string]struct {
		backups, days int
		removed, kept []int // ages in days, oldest first
	}{
		"too many":            {2, 0, []int{40, 3}, []int{2, 1}},
		"too old":             {0, 30, []int{40}, []int{3, 2, 1}},
		"too many or too old": {3, 2, []int{40, 3}, []int{2, 1}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "decisions.jsonl")
			others := []string{"decisions-2026.jsonl", "other.jsonl", "decisions-2026-01-01T00-00-00.000.jsonl.gz", "decisions-notes.jsonl"}
			for _, days := range append(c.removed, c.kept...) {
				require.NoError(t, os.WriteFile(filepath.Join(dir, old(days)), []byte("{}\n"), 0o600))
			}
			for _, name := range others {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
			}
			log, _ := openFileLog(t, Config{Path: path, MaxBackups: c.backups, MaxAgeDays: c.days, Now: func() time.Time { return now }})
			recordAndWait(t, log, "one")
			closeLog(t, log)
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			lines := decodeLines(t, string(text))
			assert.Equal(t, kindPruned, lines[0]["kind"])
			var gone []any
			for _, days := range c.removed {
				gone = append(gone, old(days))
				assert.NoFileExists(t, filepath.Join(dir, old(days)))
			}
			assert.Equal(t, gone, dig(t, lines[0], "detail", "files"))
			for _, days := range c.kept {
				others = append(others, old(days))
			}
			for _, name := range others {
				assert.FileExists(t, filepath.Join(dir, name))
			}
		})
	}
}

func TestRT21RotationSplitsNoLine(t *testing.T) {
	t.Parallel()
	log, path := openFileLog(t, Config{MaxSizeMB: 1, MaxBackups: 2})
	for i := range 100 {
		recordAndWait(t, log, fmt.Sprint(i))
		require.NoError(t, log.Record(context.Background(), newEvent(fmt.Sprint("large", i), largeParams())))
	}
	closeLog(t, log)
	files, err := filepath.Glob(filepath.Join(filepath.Dir(path), "decisions*"))
	require.NoError(t, err)
	assert.Len(t, files, 3)
	for _, file := range files {
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.LessOrEqual(t, info.Size(), int64(1<<20))
		assert.NotEmpty(t, ids(t, file))
	}
	all := ids(t, path)
	assert.Equal(t, "large99", all[len(all)-1])
}
