// Package sessions stores the values that directives set for sessions, in a file in the state
// directory.
package sessions

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
	fileName    = "sessions.json"
	maxFile     = 8 << 20 // bytes
	maxSessions = 10_000
	maxPerAgent = 1000 // sessions of one agent
	maxValue    = 200  // bytes
)

// document is the file.
type document struct {
	Version  int                   `json:"version"`
	Sessions []gavel.StoredSession `json:"sessions"`
}

// Store keeps the values of sessions until they expire. An unusable file is left unchanged, and all
// values are then unknown. It is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu        sync.Mutex
	file      *statefile.File[document]
	bySession map[session]gavel.StoredSession
	byAgent   map[string][]gavel.StoredSession // by agent
	err       error                            // why the values are unknown
}

// session is one session of one agent.
type session struct{ key, agent string }

func sessionOf(stored *gavel.StoredSession) session { return session{stored.Key, stored.Agent} }

// Open returns the store of a state directory. The file need not exist.
func Open(dir string, now func() time.Time, log *slog.Logger) *Store {
	return &Store{now: now, file: statefile.New(statefile.Config[document]{Path: filepath.Join(dir, fileName), Limit: maxFile, What: "values of sessions",
		Fix: "repair it, or move it away to forget what directives have set", Check: (*document).check,
		Unusable: "the values of sessions are unusable; every command is denied", Logger: log})}
}

// Observe implements gavel.Sessions.
func (s *Store) Observe(call *gavel.Call) gavel.SessionValuesFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	if s.err != nil {
		return gavel.SessionValuesFacts{State: gavel.SessionsUnknown}
	}
	facts := gavel.SessionValuesFacts{State: gavel.SessionsRead}
	if len(s.bySession) == 0 {
		return facts
	}
	agent, key := gavel.Fold(call.Agent.ID), gavel.Fold(call.Session.Key)
	if !sessionKeyIsReliable(call) {
		facts.Others = s.appendAgentValues(facts.Others, agent)
	} else if stored, ok := s.bySession[session{key, agent}]; ok && s.unexpired(&stored) {
		facts.Own = stored.StoredValues
	}
	for _, parent := range call.Agent.Parents {
		facts.Others = s.appendAgentValues(facts.Others, gavel.Fold(parent.ID))
	}
	return facts
}

// sessionKeyIsReliable reports whether the caller's credential determines the session key, or a
// gateway vouches for it. Other callers could choose any key.
func sessionKeyIsReliable(call *gavel.Call) bool {
	c := call.Caller
	return gavel.Fold(call.Session.Key) != "" && (c == nil || c.Kind == gavel.CallerGateway || len(c.Sessions) > 0)
}

// appendAgentValues appends the security and ask values of an agent's sessions, without duplicates.
// Host, node and elevated level are left out, because they concern only the session that they were
// set for.
func (s *Store) appendAgentValues(list []gavel.StoredValues, agent string) []gavel.StoredValues {
	for _, stored := range s.byAgent[agent] {
		values := gavel.StoredValues{Security: stored.Security, Ask: stored.Ask}
		if values != (gavel.StoredValues{}) && s.unexpired(&stored) && !slices.Contains(list, values) {
			list = append(list, values)
		}
	}
	return list
}

func (s *Store) unexpired(one *gavel.StoredSession) bool { return s.now().Before(one.ExpiresAt) }

// Set implements gavel.SessionKeeper.
func (s *Store) Set(ctx context.Context, set gavel.StoredSession) (stored gavel.StoredSession, err error) {
	set.Agent, set.Key = gavel.Fold(set.Agent), gavel.Fold(set.Key)
	if err := check(&set); err != nil {
		return set, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.file.Edit(ctx, func(d *document) error {
		kept, agents := d.Sessions[:0], 0
		stored = set
		for _, other := range d.Sessions {
			switch {
			case !s.unexpired(&other):
				continue
			case sessionOf(&other) == sessionOf(&set):
				stored.StoredValues = merge(other.StoredValues, set.StoredValues)
				continue
			case other.Agent == set.Agent:
				agents++
			}
			kept = append(kept, other)
		}
		if agents >= maxPerAgent || len(kept) >= maxSessions {
			return &gavel.InputError{Path: "/call/session/key", Message: "values of too many sessions are stored",
				Fix: "wait until some expire, or lower commands.timeout"}
		}
		d.Version, d.Sessions = 1, append(kept, stored)
		return nil
	})
	if err != nil {
		return stored, err
	}
	s.refresh()
	return stored, s.err
}

// merge returns values, overridden by the non-empty values of a later directive.
func merge(values, later gavel.StoredValues) gavel.StoredValues {
	for _, v := range [...]struct{ into, from *string }{{&values.Security, &later.Security}, {&values.Ask, &later.Ask}, {&values.Host, &later.Host},
		{&values.Node, &later.Node}, {&values.Elevated, &later.Elevated}} {
		if *v.from != "" {
			*v.into = *v.from
		}
	}
	return values
}

// refresh reads the file if it may have changed.
func (s *Store) refresh() {
	d, again, err := s.file.Look()
	if s.err = err; !again {
		return
	}
	s.bySession, s.byAgent = map[session]gavel.StoredSession{}, map[string][]gavel.StoredSession{}
	for _, stored := range d.Sessions {
		s.bySession[sessionOf(&stored)] = stored
		s.byAgent[stored.Agent] = append(s.byAgent[stored.Agent], stored)
	}
}

func (d *document) check() error {
	if d.Version != 1 {
		return fmt.Errorf("version %d is not 1", d.Version)
	}
	if d.Sessions == nil {
		return errors.New("the list of sessions is missing")
	}
	if len(d.Sessions) > maxSessions {
		return fmt.Errorf("values of more than %d sessions", maxSessions)
	}
	seen := map[session]bool{}
	for _, stored := range d.Sessions {
		if err := check(&stored); err != nil {
			return err
		}
		if seen[sessionOf(&stored)] {
			return fmt.Errorf("the session %q occurs twice", stored.Key)
		}
		seen[sessionOf(&stored)] = true
	}
	return nil
}

func check(stored *gavel.StoredSession) error {
	wrong := func(path, message, fix string) error {
		return &gavel.InputError{Path: path, Message: message, Fix: fix}
	}
	switch {
	case stored.Key == "" || stored.Key != gavel.Fold(stored.Key) || len(stored.Key) > gavel.MaxName:
		return wrong("/call/session/key", "the session key is missing, or too long", "state the key of the session")
	case stored.Agent == "" || stored.Agent != gavel.Fold(stored.Agent) || len(stored.Agent) > gavel.MaxName:
		return wrong("/call/agent/id", "the agent is missing, or its id is too long", "state the id of the agent")
	case stored.StoredValues == (gavel.StoredValues{}):
		return wrong("/text", "there is no value to store", "give one, such as ask=always")
	case stored.ExpiresAt.IsZero():
		return wrong("/text", "the values would never expire", "give a time in commands.timeout")
	}
	for _, v := range [...]string{stored.Security, stored.Ask, stored.Host, stored.Node, stored.Elevated} {
		if len(v) > maxValue || strings.TrimSpace(v) != v || strings.ContainsAny(v, "\n\r\x00") {
			return wrong("/text", fmt.Sprintf("%.40q is not a value", v), "use a word")
		}
	}
	return nil
}
