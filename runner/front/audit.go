package front

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gavel"
	"gavel/hook"
	"gavel/internal/private"
)

// auditName is the file in the state directory that says what ran, and what was refused.
const auditName = "runs.jsonl"

// Audit writes events to a file, one JSON object a line. It implements gavel.Audit.
type Audit struct {
	mu   sync.Mutex
	file *os.File
}

// OpenAudit opens or creates the file, which only its owner may read and write.
func OpenAudit(path string) (*Audit, error) {
	file, err := private.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the record of runs: %w", err)
	}
	return &Audit{file: file}, nil
}

// auditOf opens the file of the command line, or the one in the state directory if there is a
// state directory.
func auditOf(o Options, getenv func(string) string) (gavel.Audit, error) {
	if o.Audit != "" {
		return OpenAudit(o.Audit)
	}
	state := o.State
	if state == "" {
		state = hook.StateDirectory(getenv)
	}
	if info, err := os.Stat(state); state == "" || errors.Is(err, os.ErrNotExist) || err == nil && !info.IsDir() {
		return nil, nil //nolint:nilnil // nothing is recorded
	}
	return OpenAudit(filepath.Join(state, auditName))
}

// Audit implements gavel.Audit. A line is written at once, so that lines of several processes do
// not mix.
func (a *Audit) Audit(_ context.Context, event gavel.AuditEvent) error {
	line, err := json.Marshal(map[string]any{"time": event.Timestamp.Format(time.RFC3339Nano), "kind": event.Kind, "agent": event.Agent, "by": event.By, "detail": event.Detail})
	if err != nil {
		return fmt.Errorf("record a run: %w", err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, err := a.file.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("record a run: %w", err)
	}
	return nil
}
