package identity

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// tokenBytes is the number of random bytes in a token.
const tokenBytes = 32

// ErrNotFound is returned if no credential has the name.
var ErrNotFound = errors.New("there is no credential with this name")

// ListedCredential is a credential and when it was last used, as far as that was written down.
type ListedCredential struct {
	Credential
	LastUse time.Time
}

// Create adds a credential. Unless it is for a certificate, it returns a new token, which is
// stored nowhere. An expired credential of the same name is replaced.
func (s *Store) Create(ctx context.Context, c Credential) (token string, err error) {
	if c.Certificate == "" {
		secret := make([]byte, tokenBytes)
		rand.Read(secret) //nolint:errcheck // documented never to fail
		token = "gavel_" + base64.RawURLEncoding.EncodeToString(secret)
		c.Digest = digest(token)
	}
	c.Created = s.now().UTC().Truncate(time.Second)
	if err := c.check(); err != nil {
		return "", fmt.Errorf("create a credential: %w", err)
	}
	err = s.edit(ctx, func(list []Credential) ([]Credential, error) {
		if i := slices.IndexFunc(list, func(o Credential) bool { return o.Name == c.Name }); i >= 0 {
			if !list[i].Expired(s.now()) {
				return nil, fmt.Errorf("the credential %q already exists: revoke it first, or choose another name", c.Name)
			}
			list = slices.Delete(list, i, i+1)
		}
		return append(list, c), nil
	})
	if err != nil {
		return "", fmt.Errorf("create a credential: %w", err)
	}
	return token, nil
}

// Revoke removes a credential; it is invalid from the next request on.
func (s *Store) Revoke(ctx context.Context, name string) (revoked Credential, err error) {
	err = s.edit(ctx, func(list []Credential) ([]Credential, error) {
		i := slices.IndexFunc(list, func(c Credential) bool { return c.Name == name })
		if i < 0 {
			return nil, ErrNotFound
		}
		revoked = list[i]
		return slices.Delete(list, i, i+1), nil
	})
	if err != nil {
		return Credential{}, fmt.Errorf("revoke the credential %q: %w", name, err)
	}
	return revoked, nil
}

// List returns every credential, by name.
func (s *Store) List() ([]ListedCredential, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.refresh(); err != nil {
		return nil, err
	}
	list := s.known
	last := s.used.load()
	shown := make([]ListedCredential, len(list))
	for i, c := range list {
		shown[i] = ListedCredential{c, last[c.Name]}
	}
	slices.SortFunc(shown, func(a, b ListedCredential) int { return strings.Compare(a.Name, b.Name) })
	return shown, nil
}

// edit changes the list of credentials.
func (s *Store) edit(ctx context.Context, change func([]Credential) ([]Credential, error)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.file.Edit(ctx, func(d *document) (err error) {
		d.Version = 1
		if d.Credentials, err = change(d.Credentials); d.Credentials == nil {
			d.Credentials = []Credential{}
		}
		return err
	})
}
