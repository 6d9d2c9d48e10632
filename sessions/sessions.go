// Package sessions stores what directives have set for sessions, in a file of the state
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
	maxEach     = 1000 // sessions of one agent
	maxValue    = 200  // bytes
)

// document is the file.
type document struct {
	Version  int                   `json:"version"`
	Sessions []gavel.StoredSession `json:"sessions"`
}

// Store keeps the values of sessions until they expire. An unusable file is left unchanged, and
// then no value is known. It is safe for concurrent use.
type Store struct {
	now func() time.Time

	mu    sync.Mutex
	file  *statefile.File[document]
	known map[session]gavel.StoredSession
	agent map[string][]gavel.StoredSession // by agent
	err   error                            // why the values are unknown
}

// session is one session of one agent.
type session struct{ key, agent string }

func sessionOf(one *gavel.StoredSession) session { return session{one.Key, one.Agent} }

// Open returns the store of a state directory. There need not be a file yet.
func Open(dir string, now func() time.Time, log *slog.Logger) *Store {
	return &Store{now: now, file: statefile.New(statefile.Config[document]{Path: filepath.Join(dir, fileName), Limit: maxFile, What: "values of sessions",
		Fix: "repair it, or move it away to forget what directives have set", Check: (*document).check,
		Unusable: "the values of sessions are unusable; every command is denied", Logger: log})}
}

// Observe implements gavel.Sessions.
func (s *Store) Observe(call *gavel.Call) gavel.SessionValuesFacts {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look()
	if s.err != nil {
		return gavel.SessionValuesFacts{State: gavel.SessionsUnknown}
	}
	facts := gavel.SessionValuesFacts{State: gavel.SessionsRead}
	if len(s.known) == 0 {
		return facts
	}
	agent, key := gavel.Fold(call.Agent.ID), gavel.Fold(call.Session.Key)
	if !reliable(call) {
		facts.Others = s.ofAgent(facts.Others, agent)
	} else if one, ok := s.known[session{key, agent}]; ok && s.holds(&one) {
		facts.Own = one.StoredValues
	}
	for _, parent := range call.Agent.Parents {
		facts.Others = s.ofAgent(facts.Others, gavel.Fold(parent.ID))
	}
	return facts
}

// reliable reports whether the caller could not choose just any session key.
func reliable(call *gavel.Call) bool {
	c := call.Caller
	return gavel.Fold(call.Session.Key) != "" && (c == nil || c.Kind == gavel.CallerGateway || len(c.Sessions) > 0)
}

// ofAgent adds what is stored for an agent's sessions, each set of values once. How commands
// run elsewhere, and who may leave a sandbox there, says nothing about this session.
func (s *Store) ofAgent(list []gavel.StoredValues, agent string) []gavel.StoredValues {
	for _, one := range s.agent[agent] {
		values := gavel.StoredValues{Security: one.Security, Ask: one.Ask}
		if values != (gavel.StoredValues{}) && s.holds(&one) && !slices.Contains(list, values) {
			list = append(list, values)
		}
	}
	return list
}

func (s *Store) holds(one *gavel.StoredSession) bool { return s.now().Before(one.ExpiresAt) }

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
		for _, one := range d.Sessions {
			switch {
			case !s.holds(&one):
				continue
			case sessionOf(&one) == sessionOf(&set):
				stored.StoredValues = over(one.StoredValues, set.StoredValues)
				continue
			case one.Agent == set.Agent:
				agents++
			}
			kept = append(kept, one)
		}
		if agents >= maxEach || len(kept) >= maxSessions {
			return &gavel.InputError{Path: "/call/session/key", Message: "values of too many sessions are stored",
				Fix: "wait until some expire, or lower commands.timeout"}
		}
		d.Version, d.Sessions = 1, append(kept, stored)
		return nil
	})
	if err != nil {
		return stored, err
	}
	s.look()
	return stored, s.err
}

// over returns values with the values of a later directive on top.
func over(values, later gavel.StoredValues) gavel.StoredValues {
	for _, v := range [...]struct{ into, from *string }{{&values.Security, &later.Security}, {&values.Ask, &later.Ask}, {&values.Host, &later.Host},
		{&values.Node, &later.Node}, {&values.Elevated, &later.Elevated}} {
		if *v.from != "" {
			*v.into = *v.from
		}
	}
	return values
}

// look reads the file if it may have changed.
func (s *Store) look() {
	d, again, err := s.file.Look()
	if s.err = err; !again {
		return
	}
	s.known, s.agent = map[session]gavel.StoredSession{}, map[string][]gavel.StoredSession{}
	for _, one := range d.Sessions {
		s.known[sessionOf(&one)] = one
		s.agent[one.Agent] = append(s.agent[one.Agent], one)
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
	for _, one := range d.Sessions {
		if err := check(&one); err != nil {
			return err
		}
		if seen[sessionOf(&one)] {
			return fmt.Errorf("the session %q occurs twice", one.Key)
		}
		seen[sessionOf(&one)] = true
	}
	return nil
}

func check(one *gavel.StoredSession) error {
	wrong := func(path, message, fix string) error {
		return &gavel.InputError{Path: path, Message: message, Fix: fix}
	}
	switch {
	case one.Key == "" || one.Key != gavel.Fold(one.Key) || len(one.Key) > gavel.MaxName:
		return wrong("/call/session/key", "the session key is missing, or too long", "state the key of the session")
	case one.Agent == "" || one.Agent != gavel.Fold(one.Agent) || len(one.Agent) > gavel.MaxName:
		return wrong("/call/agent/id", "the agent is missing, or its id is too long", "state the id of the agent")
	case one.StoredValues == (gavel.StoredValues{}):
		return wrong("/text", "there is no value to store", "give one, such as ask=always")
	case one.ExpiresAt.IsZero():
		return wrong("/text", "the values would hold forever", "give a time in commands.timeout")
	}
	for _, v := range [...]string{one.Security, one.Ask, one.Host, one.Node, one.Elevated} {
		if len(v) > maxValue || strings.TrimSpace(v) != v || strings.ContainsAny(v, "\n\r\x00") {
			return wrong("/text", fmt.Sprintf("%.40q is not a value", v), "use a word")
		}
	}
	return nil
}
