package decisionlog

import (
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
	defaultQueue     = 4096
	maxQueue         = 1 << 20
	defaultMaxSizeMB = 100
	defaultRetry     = time.Second
)

// Config says where the log goes. Exactly one of Path and Writer is needed; all
// other fields have a default.
type Config struct {
	// Path is the file to append to; it is created with mode 0600 in a directory
	// that must exist. "" and "-" mean Writer. A symbolic link, anything but a
	// regular file, and a file that others than its owner may write are refused.
	Path string
	// Writer takes the lines when there is no Path. It is called from one
	// goroutine, always with whole lines except after a short write, and is
	// never closed.
	Writer io.Writer
	// MaxSizeMB is the size in megabytes at which the file is rotated (default
	// 100); MaxBackups and MaxAgeDays say how many old files are kept and how
	// long. Zero keeps all of them.
	MaxSizeMB, MaxBackups, MaxAgeDays int
	// Queue is how many events may wait (default 4096).
	Queue int
	// Labels are written with every event, as OPA's labels are. The label "id"
	// names this instance (default a fresh UUID); "app" is always "gavel".
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
		return errors.New("neither Path nor Writer is set: name a file, or give a writer such as standard output")
	case cfg.Path != "" && cfg.Writer != nil:
		return fmt.Errorf("both the path %q and a Writer are set: choose one", cfg.Path)
	case cfg.MaxSizeMB < 0, cfg.MaxBackups < 0, cfg.MaxAgeDays < 0:
		return fmt.Errorf("a negative limit: MaxSizeMB %d, MaxBackups %d, MaxAgeDays %d: use 0 for the default",
			cfg.MaxSizeMB, cfg.MaxBackups, cfg.MaxAgeDays)
	case cfg.Queue < 0, cfg.Queue > maxQueue:
		return fmt.Errorf("a queue of %d events: want 1 to %d, or 0 for %d", cfg.Queue, maxQueue, defaultQueue)
	case cfg.Retry < 0:
		return fmt.Errorf("a negative Retry %s: want how long to wait after a failed write, or 0 for %s", cfg.Retry, defaultRetry)
	}
	if app, given := cfg.Labels["app"]; given && app != "gavel" {
		return fmt.Errorf("the label app is %q: it is always \"gavel\", use another label", app)
	}
	return nil
}

func labels(given map[string]string) map[string]string {
	all := map[string]string{"id": uuid.NewString()}
	maps.Copy(all, given)
	all["app"] = "gavel"
	return all
}
