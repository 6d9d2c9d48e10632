package identity

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gavel"
	"gavel/internal/private"
	"gavel/internal/strictjson"
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

// Store keeps credentials in a file, which several processes may read and change. A
// change holds from the next look at it: every look-up compares the file with the one
// that was read. One that cannot be used holds no credential, and is never written to.
// It is safe for concurrent use.
type Store struct {
	path string
	now  func() time.Time
	log  *slog.Logger
	// changed is told which credentials came and went; may be nil.
	changed func(added, removed []Credential)

	mu    sync.Mutex
	print private.Print
	read  bool
	known []Credential
	err   error // why the file cannot be used
	used  uses
}

// Open returns the store of a state directory. There need not be a file yet.
func Open(dir string, now func() time.Time, log *slog.Logger, changed func(added, removed []Credential)) *Store {
	return &Store{path: filepath.Join(dir, fileName), now: now, log: log, changed: changed, used: uses{path: filepath.Join(dir, usesName)}}
}

// Token returns who shows a token, if it is one of the store's that is still good.
func (s *Store) Token(token string) (gavel.Identity, bool) {
	sum := []byte(digest(token))
	return s.find(func(c *Credential) bool {
		return c.Digest != "" && subtle.ConstantTimeCompare(sum, []byte(c.Digest)) == 1
	})
}

// Certificate returns who shows a verified certificate of these names.
func (s *Store) Certificate(names []string) (gavel.Identity, bool) {
	return s.find(func(c *Credential) bool { return c.Certificate != "" && slices.Contains(names, c.Certificate) })
}

func (s *Store) find(matches func(*Credential) bool) (found gavel.Identity, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	now := s.now()
	for i := range s.known { // all of them: the time must not tell which one it was
		c := &s.known[i]
		if matches(c) && !c.Expired(now) {
			if ok { // two names of one certificate are two credentials: neither is meant
				return gavel.Identity{}, false
			}
			found, ok = c.Identity(), true
			s.used.mark(c.Name, now)
		}
	}
	return found, ok
}

// refresh reads the file if it is not the one that was read.
func (s *Store) refresh() {
	if s.read && s.print.Same(s.path) {
		return
	}
	print := private.PrintOf(s.path)
	if s.read && print == s.print && s.err == nil && len(s.known) == 0 && !print.There() {
		return
	}
	before, first, failed := s.known, !s.read, s.err
	s.print, s.read = print, true
	s.known, s.err = read(s.path)
	if s.err != nil && (failed == nil || failed.Error() != s.err.Error()) && s.log != nil {
		s.log.Error("credentials are not usable, none of them is accepted", "error", s.err)
	}
	if s.changed != nil && !first && s.err == nil && failed == nil {
		if added, removed := difference(before, s.known); len(added)+len(removed) > 0 {
			go s.changed(added, removed)
		}
	}
}

// difference is what came and what went.
func difference(before, after []Credential) (added, removed []Credential) {
	has := func(list []Credential, c *Credential) bool {
		return slices.ContainsFunc(list, func(o Credential) bool {
			return o.Name == c.Name && o.Digest == c.Digest && o.Certificate == c.Certificate
		})
	}
	for i := range after {
		if !has(before, &after[i]) {
			added = append(added, after[i])
		}
	}
	for i := range before {
		if !has(after, &before[i]) {
			removed = append(removed, before[i])
		}
	}
	return added, removed
}

// Problem says why the file cannot be used, or nil.
func (s *Store) Problem() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refresh()
	return s.err
}

// read reads and checks the file. One that is missing holds nothing.
func read(path string) ([]Credential, error) {
	text, err := private.ReadFile(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read credentials: %w", err)
	}
	var d document
	if err := strictjson.Unmarshal(text, &d); err != nil {
		return nil, fmt.Errorf("read credentials: %s: %w; restore it from a backup, or move it away, which revokes all of its credentials", path, err)
	}
	if err := d.check(); err != nil {
		return nil, fmt.Errorf("read credentials: %s: %w; restore it from a backup, or move it away, which revokes all of its credentials", path, err)
	}
	return d.Credentials, nil
}

func (d *document) check() error {
	if d.Version != 1 {
		return fmt.Errorf("version %d is not 1", d.Version)
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
