package daemon

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"gavel/credentials/wrappers"
	"gavel/internal/private"
)

// audit is the record of runs that wrappers.yaml asks for, beside the decision log: one JSON object
// a line, after each run.
type audit struct {
	mu     sync.Mutex
	cfg    wrappers.Audit
	stdout sink
	file   sink
	opened *os.File // of file; nil for none
}

// sink is where lines go. What could not be written is late: it is written first when there is
// room again, so no line is lost or torn while the daemon runs.
type sink struct {
	to   io.Writer
	late []byte
}

func (s *sink) write(text []byte) error {
	if s.to == nil {
		return nil
	}
	s.late = append(s.late, text...)
	if len(s.late) == 0 {
		return nil
	}
	n, err := s.to.Write(s.late)
	s.late = s.late[n:]
	return err
}

// entry of the record.
type auditLine struct {
	TS          string   `json:"ts"`
	Decision    string   `json:"decision"` // its id in the decision log
	Tool        string   `json:"tool"`
	Args        []string `json:"args,omitempty"`
	Cwd         string   `json:"cwd"`
	CallerUID   uint32   `json:"caller_uid"`
	CallerPID   int      `json:"caller_pid"`
	CallerExe   string   `json:"caller_exe"`
	ExitCode    int      `json:"exit_code"`
	Timeout     bool     `json:"timeout,omitempty"`
	DurationMS  *int64   `json:"duration_ms,omitempty"`
	OutputHash  string   `json:"output_hash,omitempty"`
	OutputBytes int64    `json:"output_bytes"`
}

func openAudit(cfg wrappers.Audit, stdout io.Writer) (*audit, error) {
	a := &audit{stdout: sink{to: stdout}}
	return a, a.reopen(cfg)
}

// reopen takes over other settings. The new file is open before the old one is closed, and with an
// error the old one stays. Late lines go to the new file.
func (a *audit) reopen(cfg wrappers.Audit) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var file *os.File
	if cfg.Enabled && cfg.File != "" {
		var err error
		if file, err = private.OpenFile(cfg.File, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
			return fmt.Errorf("open the audit file: %w", err)
		}
	}
	old := a.opened
	a.cfg, a.opened, a.file.to = cfg, file, nil
	if file != nil {
		a.file.to = file
	}
	if old != nil {
		return old.Close()
	}
	return nil
}

// usable fails while a run before could not be recorded: then nothing runs.
func (a *audit) usable() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.cfg.Enabled {
		return nil
	}
	return a.write(nil)
}

func (a *audit) write(text []byte) error {
	err := a.file.write(text)
	if a.cfg.Stdout {
		err = errors.Join(err, a.stdout.write(text))
	}
	return err
}

// record writes a line.
func (a *audit) record(line auditLine, took time.Duration) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.cfg.Enabled {
		return nil
	}
	if !a.cfg.IncludeArgs {
		line.Args = nil
	}
	if !a.cfg.IncludeHash {
		line.OutputHash = ""
	}
	if a.cfg.IncludeDuration {
		ms := took.Milliseconds()
		line.DurationMS = &ms
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return a.write(append(text, '\n'))
}

func (a *audit) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opened == nil {
		return nil
	}
	file := a.opened
	a.opened, a.file.to = nil, nil
	return file.Close()
}
