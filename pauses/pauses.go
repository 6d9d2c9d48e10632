// Package pauses stores which agents are paused, in a file of the state directory.
package pauses

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel"
	"gavel/internal/statefile"
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

// Store keeps pauses. An unusable file is left unchanged, and then it is unknown which agents
// are paused. It is safe for concurrent use.
type Store struct {
	now func() time.Time
	// changed is called with the current pauses when they may have changed; may be nil.
	changed func(paused []gavel.Pause, made bool)

	mu    sync.Mutex
	file  *statefile.File[document]
	known map[string]gavel.Pause // by agent, when the file was last read
	err   error                  // why the pauses are unknown
}

// Open returns the store of a state directory. The file need not exist yet. Whenever the file was read
// again, changed is called with its pauses, in order; made says whether this store wrote the file.
// changed must not block, and may be nil.
func Open(dir string, now func() time.Time, log *slog.Logger, changed func(paused []gavel.Pause, made bool)) *Store {
	return &Store{now: now, changed: changed, file: statefile.New(statefile.Config[document]{Path: filepath.Join(dir, fileName), Limit: maxFile, What: "pauses",
		Fix: "repair it, or move it away to resume all agents", Check: (*document).check,
		Unusable: "the list of paused agents is unusable; every call is denied", Logger: log})}
}

// Observe implements gavel.Pauses.
func (s *Store) Observe(agent *gavel.AgentFacts) gavel.PauseFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if s.err != nil {
		return gavel.PauseFacts{State: gavel.PauseUnknown, Why: "the list cannot be read"}
	}
	if len(s.known) == 0 {
		return gavel.PauseFacts{}
	}
	ids := []string{agent.ID, gavel.EveryAgent}
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
	return s.lasting(s.known), s.err
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

// edit changes the pauses, and drops what is over.
func (s *Store) edit(ctx context.Context, change func(map[string]gavel.Pause)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.file.Edit(ctx, func(d *document) error {
		s.tell(d, false) // what others wrote in the meantime
		known := byAgent(d)
		change(known)
		d.Version, d.Paused = 1, s.lasting(known)
		return nil
	})
	if err != nil {
		return err
	}
	s.look(true)
	return s.err
}

// lasting are the pauses that hold, by agent.
func (s *Store) lasting(known map[string]gavel.Pause) []gavel.Pause {
	list := []gavel.Pause{}
	for _, p := range known {
		if s.holds(&p) {
			list = append(list, p)
		}
	}
	slices.SortFunc(list, func(a, b gavel.Pause) int { return strings.Compare(a.Agent, b.Agent) })
	return list
}

// refresh looks at the file.
func (s *Store) refresh() { s.look(false) }

func (s *Store) look(made bool) {
	d, again, err := s.file.Look()
	if s.err = err; !again {
		return
	}
	s.known = byAgent(d)
	if err == nil {
		s.tell(d, made)
	}
}

func (s *Store) tell(d *document, made bool) {
	if s.changed != nil {
		s.changed(slices.Clone(d.Paused), made)
	}
}

func byAgent(d *document) map[string]gavel.Pause {
	known := map[string]gavel.Pause{}
	for _, p := range d.Paused {
		known[p.Agent] = p
	}
	return known
}

func (d *document) check() error {
	if d.Version != 1 {
		return fmt.Errorf("version %d is not 1", d.Version)
	}
	if d.Paused == nil {
		return errors.New("the list of paused agents is missing")
	}
	if len(d.Paused) > maxPauses {
		return fmt.Errorf("more than %d agents are paused", maxPauses)
	}
	for _, p := range d.Paused {
		if err := check(&p); err != nil {
			return err
		}
	}
	return nil
}

func check(p *gavel.Pause) error {
	switch {
	case p.Agent == "" || p.Agent != gavel.Fold(p.Agent) || len(p.Agent) > gavel.MaxName:
		return &gavel.InputError{Path: "/agent", Message: fmt.Sprintf("%q is not the id of an agent", p.Agent), Fix: "use the id of an agent, in lower case"}
	case p.Agent != gavel.EveryAgent && strings.Contains(p.Agent, "*"):
		return &gavel.InputError{Path: "/agent", Message: fmt.Sprintf("%q is not the id of an agent", p.Agent), Fix: "use the id of one agent, or * for all"}
	case strings.TrimSpace(p.Why) == "" || len(p.Why) > maxWhy:
		return &gavel.InputError{Path: "/why", Message: "the reason is missing, or longer than 1000 bytes", Fix: "say in a few words why the agent is paused"}
	}
	return nil
}
