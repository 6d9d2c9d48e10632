package identity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"gavel"
)

const (
	leeway        = 30 * time.Second // between the issuer's clock and this one
	maxJWT        = 16 << 10         // bytes
	keysLife      = 24 * time.Hour   // how long keys hold that could not be fetched again
	fetchInterval = 10 * time.Minute // how often keys are fetched
	fetchPause    = 10 * time.Second // between two fetches, whoever asks for them

	logInterval = 10 * time.Second // between two lines of the log about refused tokens
)

// OIDCConfig defines which tokens of people are accepted.
type OIDCConfig struct {
	Issuer   string // exactly as in tokens
	Audience string // that tokens must name
	Keys     string // the issuer's keys, as JWKS: a file or an https URL
	// NameClaim names the person, GroupsClaim lists the groups. A name from email
	// counts only when the issuer has verified it.
	NameClaim, GroupsClaim string
	Approvers              []string     // groups whose people may answer
	Client                 *http.Client // for a URL; nil is one of its own
}

// OIDC identifies people by signed tokens (JWT) of an OpenID provider. Checking a token never
// waits: keys are fetched in the background, and a token with an unknown key is refused. It
// is safe for concurrent use.
type OIDC struct {
	cfg  OIDCConfig
	now  func() time.Time
	log  *slog.Logger
	wake chan struct{}

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	fetched  time.Time // when keys were read last
	loggedAt time.Time // when a refused token was logged last
	refused  int       // refused tokens since
}

// OpenOIDC checks the configuration. Keys of a file are read now, those of a URL by Run.
func OpenOIDC(cfg OIDCConfig, now func() time.Time, log *slog.Logger) (*OIDC, error) {
	o := &OIDC{cfg: cfg, now: now, log: log, wake: make(chan struct{}, 1)}
	switch {
	case cfg.Issuer == "" || cfg.Audience == "" || cfg.Keys == "":
		return nil, errors.New("tokens of people need an issuer, an audience and the issuer's keys")
	case len(cfg.Approvers) == 0:
		return nil, errors.New("no group of approvers is configured")
	case cfg.NameClaim == "" || cfg.GroupsClaim == "":
		return nil, errors.New("the claims for the name and the groups are not configured")
	}
	if u, err := url.Parse(cfg.Keys); err == nil && u.Scheme == "http" && !isLoopback(u.Hostname()) {
		return nil, fmt.Errorf("keys from %s would cross the network unencrypted; use https or a file", cfg.Keys)
	}
	if !o.remote() {
		if err := o.Fetch(context.Background()); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// Certificate implements gavel.Identities. An OpenID provider knows no certificates.
func (o *OIDC) Certificate([]string) (gavel.Identity, bool) { return gavel.Identity{}, false }

// Provider implements gavel.Provider.
func (o *OIDC) Provider() string { return o.cfg.Issuer }

// Token implements gavel.Identities.
func (o *OIDC) Token(token string) (gavel.Identity, bool) {
	if len(token) > maxJWT || strings.Count(token, ".") != 2 {
		return gavel.Identity{}, false
	}
	identity, err := o.verify(token)
	if err != nil {
		o.logRefusal(err)
		return gavel.Identity{}, false
	}
	return identity, true
}

// logRefusal logs why a token is refused, for the operator: the answer to the client does not say.
// Because anybody can send tokens, it logs at most once in logInterval.
func (o *OIDC) logRefusal(why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	now := o.now()
	if o.refused++; now.Sub(o.loggedAt).Abs() < logInterval {
		return
	}
	o.log.Warn("a token of a person is refused", "why", why, "issuer", o.cfg.Issuer, "refused", o.refused)
	o.loggedAt, o.refused = now, 0
}

// algorithms returns the accepted algorithms: those with public keys, so neither shared secrets nor
// the algorithm none.
func algorithms() []jose.SignatureAlgorithm {
	return []jose.SignatureAlgorithm{jose.RS256, jose.RS384, jose.RS512, jose.PS256, jose.PS384, jose.PS512,
		jose.ES256, jose.ES384, jose.ES512, jose.EdDSA}
}

func (o *OIDC) verify(token string) (gavel.Identity, error) {
	signed, err := jwt.ParseSigned(token, algorithms())
	if err != nil {
		return gavel.Identity{}, err
	}
	if len(signed.Headers) != 1 {
		return gavel.Identity{}, errors.New("it does not have exactly one signature")
	}
	key, err := o.findKey(signed.Headers[0])
	if err != nil {
		return gavel.Identity{}, err
	}
	var standard jwt.Claims
	all := map[string]any{}
	if err := signed.Claims(key.Key, &standard, &all); err != nil {
		return gavel.Identity{}, err
	}
	now := o.now()
	if standard.Expiry == nil {
		return gavel.Identity{}, errors.New("it has no exp")
	}
	err = standard.ValidateWithLeeway(jwt.Expected{Issuer: o.cfg.Issuer, AnyAudience: jwt.Audience{o.cfg.Audience}, Time: now}, leeway)
	if err != nil {
		return gavel.Identity{}, err
	}
	return o.identityOf(all)
}

// findKey returns the key that a token names, or the only key if it names none.
func (o *OIDC) findKey(header jose.Header) (*jose.JSONWebKey, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.keys == nil || o.now().Sub(o.fetched) > keysLife {
		o.Refresh()
		return nil, errors.New("the issuer's keys are unknown")
	}
	var fits []jose.JSONWebKey
	for _, key := range o.keys {
		if (header.KeyID == "" || key.KeyID == header.KeyID) && (key.Algorithm == "" || key.Algorithm == header.Algorithm) && key.Use != "enc" {
			fits = append(fits, key)
		}
	}
	if len(fits) != 1 {
		o.Refresh() // the issuer may have new keys
		return nil, fmt.Errorf("%d keys of the issuer fit the id %q", len(fits), header.KeyID)
	}
	return &fits[0], nil
}

// identityOf returns the person of a verified token's claims.
func (o *OIDC) identityOf(claims map[string]any) (gavel.Identity, error) {
	name, ok := claims[o.cfg.NameClaim].(string)
	if !ok || !ValidPerson(name) {
		return gavel.Identity{}, fmt.Errorf("its claim %s is not a person's name: lower-case letters, digits and . _ - + @", o.cfg.NameClaim)
	}
	if o.cfg.NameClaim == "email" && claims["email_verified"] != true {
		return gavel.Identity{}, errors.New("the issuer has not verified the email address")
	}
	groups, ok := claims[o.cfg.GroupsClaim].([]any)
	if !ok {
		return gavel.Identity{}, fmt.Errorf("its claim %s is not a list", o.cfg.GroupsClaim)
	}
	for _, group := range groups {
		if text, ok := group.(string); ok && slices.Contains(o.cfg.Approvers, text) {
			return gavel.Identity{Name: string(gavel.ScopeApprove) + ":" + name, Person: name}, nil
		}
	}
	return gavel.Identity{}, fmt.Errorf("%s is in none of the groups that may answer", name)
}
