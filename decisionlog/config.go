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

// Config configures a [Log]. Exactly one of Path and Writer must be set; the zero values of all
// other fields are their defaults.
type Config struct {
	// Path is the file to append to. It is created with mode 0600; its directory must exist.
	// "" and "-" mean that Writer is used instead. A symbolic link, anything else that is not a
	// regular file, and a file that users other than its owner can write to are refused.
	Path string
	// Writer receives the lines if there is no Path. It is called from one goroutine, with
	// whole lines except after a short write, and is never closed.
	Writer io.Writer
	// MaxSizeMB is the size in megabytes at which the file is rotated (default 100).
	// MaxBackups and MaxAgeDays limit the number and age of rotated files; 0 means no limit.
	MaxSizeMB, MaxBackups, MaxAgeDays int
	// Strict makes Record wait until its line is on disk. It needs a Path, or a Writer
	// with a Sync method.
	Strict bool
	// QueueBytes limits the size of all lines waiting to be written (default 32 MiB). One
	// credential gets a quarter of it.
	QueueBytes int
	// Wait is how long Record waits for space in the queue and for the disk (default 5 s).
	// While the oldest waiting line is older than Lag (default 1 s), the queue takes no more.
	Wait, Lag time.Duration
	// Stall is how long Close goes on waiting while nothing is written (default 5 s).
	Stall time.Duration
	// Labels are written with every event, as in OPA. The label "id" identifies this instance
	// (default: a new UUID); "app" is always "gavel".
	Labels map[string]string
	// Logger reports write failures and failed masks. Nil discards them.
	Logger *slog.Logger
	// Registry registers the metrics gavel_decision_log_*. Nil registers none.
	Registry prometheus.Registerer
	// Now is the clock for events without a timestamp (default time.Now).
	Now func() time.Time
	// Retry is how long a broken log waits between attempts to write (default 1 s).
	Retry time.Duration
}

func checkConfig(cfg Config) error {
	switch {
	case cfg.Path == "" && cfg.Writer == nil:
		return errors.New("neither Path nor Writer is set: set one of them")
	case cfg.Path != "" && cfg.Writer != nil:
		return fmt.Errorf("both the path %q and a Writer are set: choose one", cfg.Path)
	case cfg.MaxSizeMB < 0, cfg.MaxBackups < 0, cfg.MaxAgeDays < 0:
		return fmt.Errorf("negative limit: MaxSizeMB %d, MaxBackups %d, MaxAgeDays %d: use 0 for the default",
			cfg.MaxSizeMB, cfg.MaxBackups, cfg.MaxAgeDays)
	case cfg.QueueBytes < 0, cfg.QueueBytes > maxQueue:
		return fmt.Errorf("queue of %d bytes: want 1 to %d, or 0 for the default of %d", cfg.QueueBytes, maxQueue, defaultQueue)
	case cfg.Retry < 0, cfg.Wait < 0, cfg.Lag < 0, cfg.Stall < 0:
		return fmt.Errorf("negative duration: Retry %s, Wait %s, Lag %s, Stall %s: use 0 for the default", cfg.Retry, cfg.Wait, cfg.Lag, cfg.Stall)
	case cfg.Strict && cfg.Path == "" && !canSync(cfg.Writer):
		return errors.New("a strict log needs a file: its writer cannot be synced to disk")
	}
	if app, given := cfg.Labels["app"]; given && app != "gavel" {
		return fmt.Errorf("label app is %q, but it is always \"gavel\": use another label", app)
	}
	return nil
}

func canSync(out io.Writer) bool {
	_, ok := out.(syncer)
	return ok
}

func (c *Config) setDefaults() {
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

// withOwnLabels adds the labels that every log has.
func withOwnLabels(given map[string]string) map[string]string {
	all := map[string]string{"id": uuid.NewString()}
	maps.Copy(all, given)
	all["app"] = "gavel"
	return all
}

// encodeLabels encodes the labels once, for all lines.
func (l *Log) encodeLabels() error {
	labels, err := toJSONTypes(l.labels)
	if err != nil {
		return fmt.Errorf("encode the labels: %w", err)
	}
	text, err := encodeJSON(new(bytes.Buffer), labels)
	l.labelsJSON = bytes.TrimSuffix(text, []byte("\n"))
	return err
}
