package daemon

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gavel/credentials/source"
)

// vault reads credentials, each once at a time, and keeps those of slow stores for a while.
type vault struct {
	reader *source.Reader
	where  map[string]source.Source
	ttl    time.Duration
	now    func() time.Time

	mu   sync.Mutex
	each map[string]*entry
}

type entry struct {
	mu    sync.Mutex
	value string
	until time.Time
}

// early is how long before its end a credential is read again.
const early = 30 * time.Second

func newVault(reader *source.Reader, where map[string]source.Source, ttl time.Duration, now func() time.Time) *vault {
	return &vault{reader: reader, where: where, ttl: ttl, now: now, each: map[string]*entry{}}
}

// values returns credentials by name.
func (v *vault) values(ctx context.Context, names []string) (map[string]string, error) {
	values := map[string]string{}
	for _, name := range names {
		value, err := v.value(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("credential %s: %w", name, err)
		}
		values[name] = value
	}
	return values, nil
}

func (v *vault) value(ctx context.Context, name string) (string, error) {
	v.mu.Lock()
	e := v.each[name]
	if e == nil {
		e = &entry{}
		v.each[name] = e
	}
	v.mu.Unlock()
	e.mu.Lock()
	defer e.mu.Unlock()
	if v.now().Before(e.until) {
		return e.value, nil
	}
	value, err := v.reader.Read(ctx, v.where[name])
	if err != nil {
		return "", err
	}
	e.value, e.until = value.Text, v.keep(v.where[name].Kind, value.Expires)
	return value.Text, nil
}

// keep says until when a credential may be used again.
func (v *vault) keep(kind source.Kind, expires time.Time) time.Time {
	if !expires.IsZero() {
		return expires.Add(-early)
	}
	switch kind {
	case source.OP, source.Vault, source.ExecJSON:
		return v.now().Add(v.ttl)
	}
	return time.Time{}
}
