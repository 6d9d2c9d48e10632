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

// rotatedTimeFormat is the format of the time in the name of a rotated file.
const rotatedTimeFormat = "2006-01-02T15-04-05.000"

// rotate renames the file, with the time in its name, and opens a new one.
func (f *logFile) rotate() error {
	for at := f.now().UTC(); ; at = at.Add(time.Millisecond) {
		old := f.rotatedName(at)
		if _, err := os.Lstat(old); err == nil {
			continue // it was already rotated in this millisecond
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

// rotatedName returns the path of a file that was rotated at a time: decisions-TIME.jsonl.
func (f *logFile) rotatedName(at time.Time) string {
	prefix, ext := f.nameParts()
	return prefix + at.Format(rotatedTimeFormat) + ext
}

func (f *logFile) nameParts() (prefix, ext string) {
	ext = filepath.Ext(f.path)
	return strings.TrimSuffix(f.path, ext) + "-", ext
}

// pruneAndNote removes rotated files beyond the limits, and records their names.
func (f *logFile) pruneAndNote() error {
	removed, err := f.prune()
	if err != nil {
		return err
	}
	return f.notePruned(removed)
}

// prune removes rotated files beyond the limits, oldest first, and returns their names.
func (f *logFile) prune() (removed []any, err error) {
	f.pruneTime = f.now()
	if f.maxBackups == 0 && f.maxAgeDays == 0 {
		return nil, nil
	}
	list, err := f.rotations()
	if err != nil {
		return nil, err
	}
	for i, at := range list {
		tooMany := f.maxBackups > 0 && len(list)-i > f.maxBackups
		tooOld := f.maxAgeDays > 0 && f.pruneTime.Sub(at) > time.Duration(f.maxAgeDays)*24*time.Hour
		if !tooMany && !tooOld {
			continue
		}
		name := f.rotatedName(at)
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			f.logger.Warn("an old log file cannot be removed", "error", err)
			continue
		}
		f.metrics.pruned.Inc()
		removed = append(removed, filepath.Base(name))
	}
	return removed, nil
}

// notePruned records the names of removed files.
func (f *logFile) notePruned(removed []any) error {
	if len(removed) == 0 {
		return nil
	}
	f.logger.Info("old log files were removed", "files", removed)
	return f.appendLine(f.encodeAudit(kindPruned, map[string]any{"files": removed}))
}

// rotations returns the times in the names of the rotated files, oldest first.
func (f *logFile) rotations() ([]time.Time, error) {
	entries, err := os.ReadDir(filepath.Dir(f.path))
	if err != nil {
		return nil, fmt.Errorf("look for old log files: %w", err)
	}
	prefix, ext := f.nameParts()
	prefix = filepath.Base(prefix)
	var list []time.Time
	for _, entry := range entries {
		middle, ok := strings.CutPrefix(entry.Name(), prefix)
		if middle, ok = strings.CutSuffix(middle, ext); !ok || !entry.Type().IsRegular() {
			continue
		}
		if at, err := time.Parse(rotatedTimeFormat, middle); err == nil && at.Format(rotatedTimeFormat) == middle && entry.Name() == prefix+middle+ext {
			list = append(list, at)
		}
	}
	slices.SortFunc(list, time.Time.Compare)
	return list, nil
}
