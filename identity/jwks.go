package identity

import (
	"context"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	maxKeys      = 1 << 20 // bytes of a key set
	fetchTimeout = 10 * time.Second
	minRSA       = 2048 // bits
)

// Refresh makes Run fetch the keys soon. It does not wait.
func (o *OIDC) Refresh() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// Run fetches the keys now, every ten minutes, and when a token names an unknown key, but at most
// every ten seconds. It returns when ctx ends. If fetching fails, the last keys stay valid for a day.
func (o *OIDC) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := o.Fetch(ctx); err != nil && ctx.Err() == nil {
			o.log.Error("the issuer's keys are not usable; the last good ones stay valid for a day", "from", o.cfg.Keys, "error", err)
		}
		wait(ctx, fetchPause, nil)
		wait(ctx, fetchInterval-fetchPause, o.wake)
	}
}

func wait(ctx context.Context, most time.Duration, wake <-chan struct{}) {
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	case <-wake:
	}
}

func (o *OIDC) remote() bool {
	return strings.HasPrefix(o.cfg.Keys, "https://") || strings.HasPrefix(o.cfg.Keys, "http://")
}

// Fetch reads the keys. If that fails, the last ones stay in use.
func (o *OIDC) Fetch(ctx context.Context) error {
	text, err := o.read(ctx)
	if err != nil {
		return fmt.Errorf("read the issuer's keys: %w", err)
	}
	keys, err := usableKeys(text)
	if err != nil {
		return fmt.Errorf("read the issuer's keys: %s: %w", o.cfg.Keys, err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keys, o.fetched = keys, o.now()
	return nil
}

// usableKeys returns the keys of a set that can verify tokens. Other keys, such as those of an unknown
// type, are ignored (RFC 7517, section 5). They must not make the set unusable, or a key that the
// issuer has removed would stay valid.
func usableKeys(text []byte) (keys []jose.JSONWebKey, err error) {
	var set struct {
		Keys []json.RawMessage `json:"keys"`
	}
	if err := json.Unmarshal(text, &set); err != nil {
		return nil, err
	}
	for _, raw := range set.Keys {
		var key jose.JSONWebKey
		if json.Unmarshal(raw, &key) == nil && key.Valid() && key.IsPublic() && strongEnough(key.Key) {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("none of %d keys is a public key for signatures that is usable here", len(set.Keys))
	}
	return keys, nil
}

// strongEnough reports whether a key is not an RSA key, or has the size that RFC 7518 demands.
func strongEnough(key any) bool {
	rsaKey, ok := key.(*rsa.PublicKey)
	return !ok || rsaKey.N.BitLen() >= minRSA
}

func (o *OIDC) read(ctx context.Context) ([]byte, error) {
	if !o.remote() {
		return readRegular(o.cfg.Keys)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, o.cfg.Keys, nil)
	if err != nil {
		return nil, err
	}
	client := o.cfg.Client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return errors.New("it redirects to another address") }}
	}
	answer, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answers with %s", o.cfg.Keys, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxKeys+1))
	if err == nil && len(text) > maxKeys {
		err = fmt.Errorf("%s is larger than %d bytes", o.cfg.Keys, maxKeys)
	}
	return text, err
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
