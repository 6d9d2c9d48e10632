package decisionlog

import "io"

// sink is the destination of the lines. Only the writer goroutine uses it.
type sink interface {
	// Prepare is called before each Write, with the number of bytes to be written. It
	// returns switched if the write goes to a new destination. A line that was partly
	// written to the old one must then be written again as a whole.
	Prepare(size int) (switched bool, err error)
	Write(text []byte) (int, error)
	// Commit returns nil if everything written since the last Commit is still in the log
	// and, with sync, on disk. After an error it must be written again.
	Commit(sync bool) error
	Close() error
}

// syncer is a writer that can be synced to disk.
type syncer interface{ Sync() error }

// writerSink writes to Config.Writer. The caller owns that writer, so it stays open.
type writerSink struct{ io.Writer }

func (writerSink) Prepare(int) (bool, error) { return false, nil }

func (s writerSink) Commit(sync bool) error {
	if w, ok := s.Writer.(syncer); ok && sync {
		return w.Sync()
	}
	return nil
}

func (writerSink) Close() error { return nil }

func (l *Log) openSink() (sink, error) {
	if l.cfg.Path == "" {
		return writerSink{l.cfg.Writer}, nil
	}
	file := &logFile{path: l.cfg.Path, maxSize: int64(l.cfg.MaxSizeMB) << 20, maxBackups: l.cfg.MaxBackups, maxAgeDays: l.cfg.MaxAgeDays,
		now: l.cfg.Now, encodeAudit: l.ownAuditLine, logger: l.logger, metrics: l.metrics}
	return file, file.open()
}
