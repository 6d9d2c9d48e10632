package decisionlog

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
)

const (
	defaultQueue     = 32 << 20
	maxQueue         = 1 << 30
	defaultMaxSizeMB = 100
	defaultRetry     = time.Second
	defaultWait      = 5 * time.Second
	defaultLag       = time.Second
	defaultStall     = 5 * time.Second
)

// Config configures the log. Exactly one of Path and Writer is required; all other fields
// have defaults.
type Config struct {
	// Path is the file to append to; it is created with mode 0600 in a directory that must
	// exist. "" and "-" mean Writer. A symbolic link, anything but a regular file, and a file
	// that users other than its owner can write to are refused.
	Path string
	// Writer receives the lines if there is no Path. It is called from one goroutine, always
	// with whole lines except after a short write, and is never closed.
	Writer io.Writer
	// MaxSizeMB is the size in megabytes at which the file is rotated (default
	// 100); MaxBackups and MaxAgeDays say how many old files are kept and how
	// long. Zero keeps all of them.
	MaxSizeMB, MaxBackups, MaxAgeDays int
	// Strict makes Record wait until its line is on disk. It needs a Path, or a Writer
	// with a method Sync.
	Strict bool
	// QueueBytes is how many bytes of lines may wait (default 32 MiB), a quarter of it
	// for one credential.
	QueueBytes int
	// Wait is how long Record waits for space and for the disk (default 5 s). Lag is how old
	// a waiting line may be before others have to wait for it (default 1 s).
	Wait, Lag time.Duration
	// Stall is how long Close waits while nothing is written (default 5 s).
	Stall time.Duration
	// Labels are written with every event, as in OPA. The label "id" identifies this instance
	// (default a fresh UUID); "app" is always "gavel".
	Labels map[string]string
	// Logger hears of write failures and failed masks; nil discards.
	Logger *slog.Logger
	// Registry takes the metrics gavel_decision_log_*; nil takes none.
	Registry prometheus.Registerer
	// Now is the clock for an event without a time (default time.Now).
	Now func() time.Time
	// Retry is how long a broken log waits between two attempts (default 1 s).
	Retry time.Duration
}

func check(cfg Config) error {
	switch {
	case cfg.Path == "" && cfg.Writer == nil:
		return errors.New("neither Path nor Writer is set: set one of them")
	case cfg.Path != "" && cfg.Writer != nil:
		return fmt.Errorf("both the path %q and a Writer are set: choose one", cfg.Path)
	case cfg.MaxSizeMB < 0, cfg.MaxBackups < 0, cfg.MaxAgeDays < 0:
		return fmt.Errorf("a negative limit: MaxSizeMB %d, MaxBackups %d, MaxAgeDays %d: use 0 for the default",
			cfg.MaxSizeMB, cfg.MaxBackups, cfg.MaxAgeDays)
	case cfg.QueueBytes < 0, cfg.QueueBytes > maxQueue:
		return fmt.Errorf("a queue of %d bytes: want 1 to %d, or 0 for %d", cfg.QueueBytes, maxQueue, defaultQueue)
	case cfg.Retry < 0, cfg.Wait < 0, cfg.Lag < 0, cfg.Stall < 0:
		return fmt.Errorf("a negative time: Retry %s, Wait %s, Lag %s, Stall %s: use 0 for the default", cfg.Retry, cfg.Wait, cfg.Lag, cfg.Stall)
	case cfg.Strict && cfg.Path == "" && !canSync(cfg.Writer):
		return errors.New("a strict log needs a file: its writer cannot be synced to disk")
	}
	if app, given := cfg.Labels["app"]; given && app != "gavel" {
		return fmt.Errorf("the label app is %q: it is always \"gavel\", use another label", app)
	}
	return nil
}

func canSync(out io.Writer) bool {
	_, ok := out.(syncer)
	return ok
}

// fill sets defaults.
func (c *Config) fill() {
	c.QueueBytes = cmp.Or(c.QueueBytes, defaultQueue)
	c.MaxSizeMB = cmp.Or(c.MaxSizeMB, defaultMaxSizeMB)
	c.Retry = cmp.Or(c.Retry, defaultRetry)
	c.Wait = cmp.Or(c.Wait, defaultWait)
	c.Lag = cmp.Or(c.Lag, defaultLag)
	c.Stall = cmp.Or(c.Stall, defaultStall)
	if c.Now == nil {
		c.Now = time.Now
	}
}

func labels(given map[string]string) map[string]string {
	all := map[string]string{"id": uuid.NewString()}
	maps.Copy(all, given)
	all["app"] = "gavel"
	return all
}

// writeLabels writes the labels as every line has them.
func (l *Log) writeLabels() error {
	labels, err := tree(l.labels)
	if err != nil {
		return fmt.Errorf("encode the labels: %w", err)
	}
	text, err := encode(new(bytes.Buffer), labels)
	l.written = bytes.TrimSuffix(text, []byte("\n"))
	return err
}
