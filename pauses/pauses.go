// Package pauses keeps which agents are paused, in a file of the state directory.
package pauses

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/strictjson"
)

const (
	fileName  = "agents.json"
	maxFile   = 4 << 20 // bytes
	maxPauses = 10_000
	maxWhy    = 1000 // bytes
)

// document is the file.
type document struct {
	Version int           `json:"version"`
	Paused  []gavel.Pause `json:"paused"`
}

// Store keeps pauses. A file that cannot be used is left as it is, and then nobody can
// tell which agents are paused. It is safe for concurrent use.
type Store struct {
	path string
	now  func() time.Time
	log  *slog.Logger

	mu    sync.Mutex
	print private.Print
	read  bool
	known map[string]gavel.Pause // by agent
	err   error
}

// Open returns the store of a state directory. There need not be a file yet.
func Open(dir string, now func() time.Time, log *slog.Logger) *Store {
	return &Store{path: filepath.Join(dir, fileName), now: now, log: log}
}

// Observe implements gavel.Pauses.
func (s *Store) Observe(agent *gavel.AgentFacts) gavel.PauseFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if s.err != nil {
		return gavel.PauseFacts{State: gavel.PauseUnknown, Why: "its file cannot be used"}
	}
	if len(s.known) == 0 {
		return gavel.PauseFacts{}
	}
	ids := []string{agent.ID}
	for i := range agent.Parents {
		ids = append(ids, agent.Parents[i].ID)
	}
	for _, id := range ids {
		if p, ok := s.known[id]; ok && s.holds(&p) {
			facts := gavel.PauseFacts{State: gavel.PausePaused, Agent: p.Agent, Why: p.Why}
			if !p.Until.IsZero() {
				facts.Until = p.Until.Format(time.RFC3339)
			}
			return facts
		}
	}
	return gavel.PauseFacts{}
}

func (s *Store) holds(p *gavel.Pause) bool { return p.Until.IsZero() || s.now().Before(p.Until) }

// List implements gavel.PauseKeeper.
func (s *Store) List() ([]gavel.Pause, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	list := []gavel.Pause{}
	for _, p := range s.known {
		if s.holds(&p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b gavel.Pause) int { return strings.Compare(a.Agent, b.Agent) })
	return list, s.err
}

// Pause implements gavel.PauseKeeper.
func (s *Store) Pause(ctx context.Context, pause gavel.Pause) error {
	if err := check(&pause); err != nil {
		return err
	}
	return s.edit(ctx, func(known map[string]gavel.Pause) { known[pause.Agent] = pause })
}

// Resume implements gavel.PauseKeeper.
func (s *Store) Resume(ctx context.Context, agent string) (was bool, err error) {
	err = s.edit(ctx, func(known map[string]gavel.Pause) {
		p, ok := known[agent]
		was = ok && s.holds(&p)
		delete(known, agent)
	})
	return was, err
}

// edit changes the file under its lock, and drops what is over.
func (s *Store) edit(ctx context.Context, change func(map[string]gavel.Pause)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	unlock, err := private.Lock(ctx, s.path+".lock")
	if err != nil {
		return fmt.Errorf("lock %s: %w", s.path, err)
	}
	defer unlock()
	known, err := load(s.path)
	if err != nil {
		return err
	}
	change(known)
	d := document{Version: 1, Paused: []gavel.Pause{}}
	for _, p := range known {
		if s.holds(&p) {
			d.Paused = append(d.Paused, p)
		}
	}
	if len(d.Paused) > maxPauses {
		return fmt.Errorf("more than %d agents are paused", maxPauses)
	}
	slices.SortFunc(d.Paused, func(a, b gavel.Pause) int { return strings.Compare(a.Agent, b.Agent) })
	var text bytes.Buffer
	if err := strictjson.Write(&text, d); err != nil {
		return err
	}
	if err := private.ReplaceFile(s.path, text.Bytes(), 0o600); err != nil {
		return fmt.Errorf("write pauses: %w", err)
	}
	s.read = false
	s.refresh()
	return s.err
}

// refresh reads the file if it is not the one that was read.
func (s *Store) refresh() {
	if s.read && s.print.Same(s.path) {
		return
	}
	failed := s.err
	s.print, s.read = private.PrintOf(s.path), true
	s.known, s.err = load(s.path)
	if s.err != nil && (failed == nil || failed.Error() != s.err.Error()) && s.log != nil {
		s.log.Error("pauses are not known, every call is denied", "error", s.err)
	}
}

func load(path string) (map[string]gavel.Pause, error) {
	known := map[string]gavel.Pause{}
	text, err := private.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return known, nil
	}
	var d document
	if err == nil {
		err = strictjson.Unmarshal(text, &d)
	}
	if err != nil {
		return nil, fmt.Errorf("read pauses: %s: %w; repair it, or move it away, which resumes all agents", path, err)
	}
	if d.Version != 1 {
		return nil, fmt.Errorf("read pauses: %s: version %d is not 1; use the Gavel that wrote it", path, d.Version)
	}
	for _, p := range d.Paused {
		if err := check(&p); err != nil {
			return nil, fmt.Errorf("read pauses: %s: %w; repair it, or move it away, which resumes all agents", path, err)
		}
		known[p.Agent] = p
	}
	return known, nil
}

func check(p *gavel.Pause) error {
	switch {
	case p.Agent == "" || p.Agent != strings.ToLower(strings.TrimSpace(p.Agent)) || len(p.Agent) > gavel.MaxName:
		return &gavel.InputError{Path: "/agent", Message: fmt.Sprintf("%q is no id of an agent", p.Agent), Fix: "use the id of an agent, in lower case"}
	case strings.TrimSpace(p.Why) == "" || len(p.Why) > maxWhy:
		return &gavel.InputError{Path: "/why", Message: "the reason is missing, or longer than 1000 bytes", Fix: "say in a few words why the agent is paused"}
	}
	return nil
}
