package decisionlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// stamp is the time format in the name of an old file.
const stamp = "2006-01-02T15-04-05.000"

// rotate renames the file with a timestamp, and starts a new one.
func (f *file) rotate() error {
	for at := f.now().UTC(); ; at = at.Add(time.Millisecond) {
		old := f.old(at)
		if _, err := os.Lstat(old); err == nil {
			continue // two in one millisecond
		} else if !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("rotate the log file: %w", err)
		}
		if err := os.Rename(f.path, old); err != nil {
			return fmt.Errorf("rotate the log file: %w", err)
		}
		break
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("close the old log file: %w", err)
	}
	return f.open()
}

// old is the name of a file that was left at a time: decisions-TIME.jsonl.
func (f *file) old(at time.Time) string {
	prefix, ext := f.parts()
	return prefix + at.Format(stamp) + ext
}

func (f *file) parts() (prefix, ext string) {
	ext = filepath.Ext(f.path)
	return strings.TrimSuffix(f.path, ext) + "-", ext
}

// sweep removes old files, and reports them.
func (f *file) sweep() error {
	gone, err := f.prune()
	if err != nil {
		return err
	}
	return f.pruned(gone)
}

// prune removes old files beyond the limits, oldest first, and returns their names.
func (f *file) prune() (gone []any, err error) {
	f.swept = f.now()
	if f.backups == 0 && f.days == 0 {
		return nil, nil
	}
	list, err := f.left()
	if err != nil {
		return nil, err
	}
	for i, at := range list {
		tooMany := f.backups > 0 && len(list)-i > f.backups
		tooOld := f.days > 0 && f.swept.Sub(at) > time.Duration(f.days)*24*time.Hour
		if !tooMany && !tooOld {
			continue
		}
		name := f.old(at)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.logger.Warn("an old log file cannot be removed", "error", err)
			continue
		}
		f.metrics.pruned.Inc()
		gone = append(gone, filepath.Base(name))
	}
	return gone, nil
}

// pruned says which files were removed.
func (f *file) pruned(gone []any) error {
	if len(gone) == 0 {
		return nil
	}
	f.logger.Info("old log files were removed", "files", gone)
	return f.add(f.note(kindPruned, map[string]any{"files": gone}))
}

// left lists when the old files were left, oldest first.
func (f *file) left() ([]time.Time, error) {
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if err != nil {
		return nil, fmt.Errorf("look for old log files: %w", err)
	}
	prefix, ext := f.parts()
	prefix = filepath.Base(prefix)
	var list []time.Time
	for _, entry := range entries {
		middle, ok := strings.CutPrefix(entry.Name(), prefix)
		if middle, ok = strings.CutSuffix(middle, ext); !ok || !entry.Type().IsRegular() {
			continue
		}
		if at, err := time.Parse(stamp, middle); err == nil && at.Format(stamp) == middle && entry.Name() == prefix+middle+ext {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return list, nil
}
