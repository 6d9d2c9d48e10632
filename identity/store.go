package identity

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gavel"
	"gavel/internal/statefile"
)

const (
	fileName = "credentials.json"
	maxFile  = 16 << 20 // bytes
)

// document is the file.
type document struct {
	Version     int          `json:"version"`
	Credentials []Credential `json:"credentials"`
}

// Store keeps credentials in a file that several processes may read and change. A change
// takes effect at the next lookup, because every lookup compares the file with the version
// that was read. An unusable file counts as empty, and is never written to. It is safe for concurrent
// use.
type Store struct {
	now func() time.Time
	// changed is called with the credentials when they may have changed; may be nil.
	changed func([]Credential)

	mu    sync.Mutex
	file  *statefile.File[document]
	known []Credential // as last read
	used  uses
}

// Open returns the store of a state directory. The file need not exist. changed is called
// with the credentials whenever the file was read again, in order; it must not block. It may
// be nil.
func Open(dir string, now func() time.Time, log *slog.Logger, changed func([]Credential)) *Store {
	const fix = "restore it from a backup, or move it away to revoke all its credentials"
	file := statefile.New(statefile.Config[document]{Path: filepath.Join(dir, fileName), Limit: maxFile, What: "credentials", Fix: fix,
		Check: (*document).check, Unusable: "credentials are not usable; none is accepted", Logger: log})
	return &Store{file: file, now: now, changed: changed, used: uses{path: filepath.Join(dir, usesName)}}
}

// Token returns the holder of a token, if the store has it and it is valid.
func (s *Store) Token(token string) (gavel.Identity, bool) {
	sum := []byte(digest(token))
	return s.find(func(c *Credential) bool {
		return c.Digest != "" && subtle.ConstantTimeCompare(sum, []byte(c.Digest)) == 1
	})
}

// Certificate returns the holder of a verified certificate with these names.
func (s *Store) Certificate(names []string) (gavel.Identity, bool) {
	return s.find(func(c *Credential) bool { return c.Certificate != "" && slices.Contains(names, c.Certificate) })
}

func (s *Store) find(matches func(*Credential) bool) (found gavel.Identity, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.refresh() // it is logged
	now := s.now()
	for i := range s.known { // compare all of them, so that the time does not reveal which one matched
		c := &s.known[i]
		if matches(c) && !c.Expired(now) {
			if ok { // two names of one certificate match two credentials: it is ambiguous
				return gavel.Identity{}, false
			}
			found, ok = c.Identity(), true
			s.used.mark(c.Name, now)
		}
	}
	return found, ok
}

// Holds reports whether a credential with this name (as in gavel.Identity) and issue exists
// and is valid.
func (s *Store) Holds(name, issue string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.refresh() // it is logged
	now := s.now()
	return slices.ContainsFunc(s.known, func(c Credential) bool { return c.ID() == name && c.issue() == issue && !c.Expired(now) })
}

// refresh reads the file if it has changed. An unusable file counts as empty.
func (s *Store) refresh() error {
	d, again, err := s.file.Look()
	s.known = d.Credentials
	if again && err == nil && s.changed != nil {
		s.changed(slices.Clone(s.known))
	}
	return err
}

// Problem returns an error if the file cannot be used.
func (s *Store) Problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.refresh()
}

// Difference returns the added and removed credentials. A changed credential counts as both.
func Difference(before, after []Credential) (added, removed []Credential) {
	without := func(list, others []Credential) (left []Credential) {
		for i := range list {
			if !slices.ContainsFunc(others, func(o Credential) bool { return same(&o, &list[i]) }) {
				left = append(left, list[i])
			}
		}
		return left
	}
	return without(after, before), without(before, after)
}

func same(a, b *Credential) bool {
	return a.Name == b.Name && a.Scope == b.Scope && a.Person == b.Person && a.Digest == b.Digest && a.Certificate == b.Certificate &&
		slices.Equal(a.Agents, b.Agents) && slices.Equal(a.Sessions, b.Sessions) && slices.Equal(a.Claims, b.Claims) &&
		a.Created.Equal(b.Created) && a.Expires.Equal(b.Expires)
}

func (d *document) check() error {
	if d.Version != 1 {
		return fmt.Errorf("version %d is not 1", d.Version)
	}
	if d.Credentials == nil {
		return errors.New("the list of credentials is missing")
	}
	if len(d.Credentials) > maxCredentials {
		return fmt.Errorf("more than %d credentials", maxCredentials)
	}
	names, secrets := map[string]bool{}, map[string]bool{}
	for i := range d.Credentials {
		c := &d.Credentials[i]
		if err := c.check(); err != nil {
			return fmt.Errorf("credential %q: %w", c.Name, err)
		}
		if names[c.Name] {
			return fmt.Errorf("two credentials are called %q", c.Name)
		}
		if key := c.Digest + "\x00" + c.Certificate; secrets[key] {
			return fmt.Errorf("credential %q: another one has the same token or certificate", c.Name)
		} else {
			secrets[key] = true
		}
		names[c.Name] = true
	}
	return nil
}
