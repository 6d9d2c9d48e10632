package identity

import (
	"bytes"
	"time"

	"gavel/internal/private"
	"gavel/internal/strictjson"
)

const (
	usesName = "credentials-used.json"
	// useStep is the precision of recorded uses.
	useStep = time.Minute
)

// uses remembers when each credential was last used. Losing it does no harm, so it is written
// only now and then, and an unreadable file is replaced.
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

// SaveUses records when credentials were last used, if that has changed.
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
