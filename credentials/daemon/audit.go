package daemon

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
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
// room again, so no line is lost or torn while the daemon runs. As nothing runs meanwhile, at most
// the runs that had begun, one for each connection, are late.
type sink struct {
	to   io.Writer
	late []byte // whole lines
	part int    // bytes of the first one that are written already
}

func (s *sink) write(text []byte) error {
	if s.to == nil {
		return nil
	}
	s.late = append(s.late, text...)
	if len(s.late) == 0 {
		return nil
	}
	n, err := s.to.Write(s.late[s.part:])
	whole := bytes.LastIndexByte(s.late[:s.part+n], '\n') + 1
	s.late, s.part = s.late[whole:], s.part+n-whole
	return err
}

// turn has later lines, and those that are late, go elsewhere, from the beginning of a line.
func (s *sink) turn(to io.Writer) { s.to, s.part = to, 0 }

// lost is an error if lines could not be written.
func (s *sink) lost(where string) error {
	if n := bytes.Count(s.late, []byte{'\n'}); n > 0 {
		return fmt.Errorf("%d runs could not be recorded in %s; the decision log has the decisions about them", n, where)
	}
	return nil
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
// error the old one stays. Late lines go to the new file; without one, they keep the old settings.
func (a *audit) reopen(cfg wrappers.Audit) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	var file *os.File
	if cfg.Enabled && cfg.File != "" {
		var err error
		if file, err = openLines(cfg.File); err != nil {
			return fmt.Errorf("open the audit file: %w", err)
		}
	}
	if a.opened != nil && file == nil {
		_ = a.file.write(nil) // what is not written is reported
		if err := a.file.lost(a.cfg.File); err != nil {
			return fmt.Errorf("leave the audit file: %w", err)
		}
	}
	old := a.opened
	a.cfg, a.opened = cfg, file
	a.file.turn(nil)
	if file != nil {
		a.file.turn(file)
	}
	if old != nil {
		return old.Close()
	}
	return nil
}

// openLines opens a file for more lines. The last line of a daemon that was killed may be a part of
// one, which is ended.
func openLines(path string) (*os.File, error) {
	file, err := private.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	last := []byte{'\n'}
	info, err := file.Stat()
	if err == nil && info.Size() > 0 {
		_, err = file.ReadAt(last, info.Size()-1)
	}
	if err == nil && last[0] != '\n' {
		_, err = file.WriteString("\n")
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
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

// close writes what is late, and says what could not be written.
func (a *audit) close() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.file.write(nil) // what is not written is reported
	_ = a.stdout.write(nil)
	err := errors.Join(a.file.lost(a.cfg.File), a.stdout.lost("standard output"))
	if a.opened == nil {
		return err
	}
	file := a.opened
	a.opened, a.file.to = nil, nil
	return errors.Join(err, file.Close())
}

// recorded writes the record of a run.
func (r *runner) recorded(code int, timeout bool) {
	both := sha256.New()
	for _, sum := range r.sums {
		if sum != nil {
			_, _ = both.Write(sum.Sum(nil)) // it never fails
		}
	}
	line := auditLine{TS: r.began.Format(time.RFC3339), Decision: r.decision.ID, Tool: r.tool.Name, Args: r.request.Arguments(), Cwd: r.dir.path,
		CallerUID: r.who.uid, CallerPID: r.who.pid, CallerExe: r.who.exe, ExitCode: code, Timeout: timeout,
		OutputHash: "sha256:" + hex.EncodeToString(both.Sum(nil)), OutputBytes: r.bytes.Load()}
	if err := r.audit.record(line, r.cfg.Now().Sub(r.began)); err != nil {
		r.cfg.Logger.Error("a run could not be recorded", "tool", r.tool.Name, "error", err)
	}
	r.cfg.Logger.Info("a tool ran", "tool", r.tool.Name, "decision", r.decision.ID, "exit", code, "timeout", timeout, "bytes", r.bytes.Load())
}
