package identity

import (
	"bytes"
	"time"

	"gavel/internal/private"
	"gavel/internal/strictjson"
)

const (
	usesName = "credentials-used.json"
	// useStep is how exactly uses are written down.
	useStep = time.Minute
)

// uses remembers when each credential was last used. What is lost of it harms nobody, so
// it is written now and then, and a file that cannot be read is replaced.
type uses struct {
	path  string
	last  map[string]time.Time
	dirty bool
}

func (u *uses) mark(name string, now time.Time) {
	if u.last == nil {
		u.last = u.load()
	}
	if now = now.UTC().Truncate(useStep); now.After(u.last[name]) {
		u.last[name], u.dirty = now, true
	}
}

func (u *uses) load() map[string]time.Time {
	last := map[string]time.Time{}
	text, err := private.ReadFile(u.path, maxFile)
	if err != nil || strictjson.Unmarshal(text, &last) != nil {
		return map[string]time.Time{}
	}
	return last
}

// SaveUses writes down when credentials were last used, if that changed.
func (s *Store) SaveUses() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.used.dirty {
		return nil
	}
	kept := map[string]time.Time{}
	for _, c := range s.known {
		if at, ok := s.used.last[c.Name]; ok {
			kept[c.Name] = at
		}
	}
	var text bytes.Buffer
	if err := strictjson.Write(&text, kept); err != nil {
		return err
	}
	s.used.dirty = false
	return private.ReplaceFile(s.used.path, text.Bytes(), 0o600)
}
