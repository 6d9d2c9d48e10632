package decisionlog

import (
	"io"
)

// sink is the destination of the lines. Only the writer uses it.
type sink interface {
	// Ready prepares for a write of so many bytes. again says that it goes to a new
	// destination, so that a line that was begun has to be written again.
	Ready(size int) (again bool, err error)
	Write(text []byte) (int, error)
	// Commit returns an error unless all that was written since the last Commit is
	// still in the log and, with sync, on disk. Then it has to be written again.
	Commit(sync bool) error
	Close() error
}

// syncer is a writer that can be synced to disk.
type syncer interface{ Sync() error }

// given is a writer that the caller owns, and that stays open.
type given struct{ io.Writer }

func (given) Ready(int) (bool, error) { return false, nil }

func (g given) Commit(sync bool) error {
	if out, ok := g.Writer.(syncer); ok && sync {
		return out.Sync()
	}
	return nil
}

func (given) Close() error { return nil }

// openSink returns where the lines go.
func (l *Log) openSink() (sink, error) {
	if l.cfg.Path == "" {
		return given{l.cfg.Writer}, nil
	}
	file := &file{path: l.cfg.Path, most: int64(l.cfg.MaxSizeMB) << 20, backups: l.cfg.MaxBackups, days: l.cfg.MaxAgeDays,
		now: l.cfg.Now, note: l.note, logger: l.logger, metrics: l.metrics}
	return file, file.open()
}
