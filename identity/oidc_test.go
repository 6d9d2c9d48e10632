package identity_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/identity"
)

// issuer signs tokens of people.
type issuer struct {
	key *ecdsa.PrivateKey
	id  string
}

func newIssuer(t *testing.T, id string) issuer {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	return issuer{key, id}
}

func (i issuer) jwks(t *testing.T) []byte {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: i.key.Public(), KeyID: i.id, Algorithm: "ES256", Use: "sig"}}})
	require.NoError(t, err)
	return text
}

func (i issuer) sign(t *testing.T, claims map[string]any) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: i.key}, (&jose.SignerOptions{}).WithHeader("kid", i.id))
	require.NoError(t, err)
	token, err := jwt.Signed(signer).Claims(claims).Serialize()
	require.NoError(t, err)
	return token
}

// alices are the claims of a good token, with changes; nil takes a claim away.
func alices(c *clock, changes map[string]any) map[string]any {
	now := c.now().Unix()
	claims := map[string]any{"iss": "https://id.example.com", "aud": []string{"gavel", "other"}, "sub": "7", "iat": now, "nbf": now, "exp": now + 300,
		"email": "alice@example.com", "email_verified": true, "groups": []string{"staff", "oncall"}}
	for name, value := range changes {
		if value == nil {
			delete(claims, name)
			continue
		}
		claims[name] = value
	}
	return claims
}

func config(keys string) identity.OIDCConfig {
	return identity.OIDCConfig{Issuer: "https://id.example.com", Audience: "gavel", Keys: keys, NameClaim: "email", GroupsClaim: "groups", Approvers: []string{"oncall"}}
}

func fromFile(t *testing.T, i issuer, c *clock) *identity.OIDC {
	t.Helper()
	path := filepath.Join(t.TempDir(), "jwks.json")
	require.NoError(t, os.WriteFile(path, i.jwks(t), 0o600))
	o, err := identity.OpenOIDC(config(path), c.now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	return o
}

func TestATokenOfAPersonIdentifiesThatPerson(t *testing.T) {
	c, i := newClock(), newIssuer(t, "k1")
	who, ok := fromFile(t, i, c).Token(i.sign(t, alices(c, nil)))
	require.True(t, ok)
	assert.Equal(t, gavel.Identity{Name: "approve:alice@example.com", Person: "alice@example.com"}, who)
}

func TestTokensOfPeopleThatAreRefused(t *testing.T) {
	c, i := newClock(), newIssuer(t, "k1")
	o := fromFile(t, i, c)
	hour := c.now().Unix() + 3600
	for name, changes := range map[string]map[string]any{
		"of another issuer":          {"iss": "https://id.example.org"},
		"without an issuer":          {"iss": nil},
		"for someone else":           {"aud": "other"},
		"for nobody":                 {"aud": nil},
		"that is over":               {"exp": c.now().Unix() - 60},
		"without an end":             {"exp": nil},
		"that begins later":          {"nbf": hour},
		"of the future":              {"iat": hour},
		"of a group without a say":   {"groups": []string{"staff"}},
		"without groups":             {"groups": nil},
		"with groups as a text":      {"groups": "oncall"},
		"without a name":             {"email": nil},
		"with a name in capitals":    {"email": "Alice@example.com"},
		"with a name of two lines":   {"email": "alice\nroot"},
		"with an unverified address": {"email_verified": false},
		"that does not say verified": {"email_verified": nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, ok := o.Token(i.sign(t, alices(c, changes)))
			assert.False(t, ok)
		})
	}
	t.Run("that is very long", func(t *testing.T) {
		_, ok := o.Token(i.sign(t, alices(c, map[string]any{"x": strings.Repeat("x", 64<<10)})))
		assert.False(t, ok)
	})
	t.Run("signed by someone else", func(t *testing.T) {
		_, ok := o.Token(newIssuer(t, "k1").sign(t, alices(c, nil)))
		assert.False(t, ok)
	})
	t.Run("without a signature", func(t *testing.T) {
		body, err := json.Marshal(alices(c, nil))
		require.NoError(t, err)
		for _, header := range []string{`{"alg":"none"}`, `{"alg":"none","kid":"k1"}`, `{"alg":"ES256","kid":"k1"}`} {
			encode := base64.RawURLEncoding.EncodeToString
			_, ok := o.Token(encode([]byte(header)) + "." + encode(body) + ".")
			assert.False(t, ok, header)
		}
	})
	t.Run("signed with the public key as a secret", func(t *testing.T) {
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.HS256, Key: i.jwks(t)}, (&jose.SignerOptions{}).WithHeader("kid", "k1"))
		require.NoError(t, err)
		token, err := jwt.Signed(signer).Claims(alices(c, nil)).Serialize()
		require.NoError(t, err)
		_, ok := o.Token(token)
		assert.False(t, ok)
	})
}

func TestKeysFromAURLAreFetchedInTheBackgroundAndRotated(t *testing.T) {
	c := newClock()
	var current atomic.Value
	old := newIssuer(t, "k1")
	current.Store(old.jwks(t))
	var status atomic.Int64
	status.Store(http.StatusOK)
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(int(status.Load()))
		_, _ = w.Write(current.Load().([]byte))
	}))
	defer web.Close()
	o, err := identity.OpenOIDC(config(web.URL), c.now, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	_, ok := o.Token(old.sign(t, alices(c, nil)))
	require.False(t, ok, "nothing waits for keys that were not fetched yet")

	require.NoError(t, o.Fetch(t.Context()))
	_, ok = o.Token(old.sign(t, alices(c, nil)))
	require.True(t, ok)

	fresh := newIssuer(t, "k2")
	current.Store(fresh.jwks(t))
	_, ok = o.Token(fresh.sign(t, alices(c, nil)))
	require.False(t, ok)
	require.NoError(t, o.Fetch(t.Context()))
	_, ok = o.Token(fresh.sign(t, alices(c, nil)))
	require.True(t, ok)
	_, ok = o.Token(old.sign(t, alices(c, nil)))
	require.False(t, ok, "a key that the issuer took away signs nothing")

	status.Store(http.StatusNotFound)
	current.Store(old.jwks(t))
	require.ErrorContains(t, o.Fetch(t.Context()), "404")
	status.Store(http.StatusOK)
	current.Store([]byte(`{"keys":[]}`))
	require.Error(t, o.Fetch(t.Context()))
	_, ok = o.Token(fresh.sign(t, alices(c, nil)))
	require.True(t, ok, "a set without keys changes nothing")
	c.move(25 * time.Hour)
	_, ok = o.Token(fresh.sign(t, alices(c, nil)))
	assert.False(t, ok, "for a day")
}

// setOf is a set of keys, in JSON.
func setOf(keys ...string) []byte { return []byte(`{"keys":[` + strings.Join(keys, ",") + `]}`) }

// jwk is a key in JSON.
func jwk(t *testing.T, key any, id string) string {
	t.Helper()
	text, err := json.Marshal(jose.JSONWebKey{Key: key, KeyID: id, Use: "sig"})
	require.NoError(t, err)
	return string(text)
}

func TestTheLogOccasionallySaysWhyATokenIsRefused(t *testing.T) {
	c, i := newClock(), newIssuer(t, "k1")
	path := filepath.Join(t.TempDir(), "jwks.json")
	require.NoError(t, os.WriteFile(path, i.jwks(t), 0o600))
	var said strings.Builder
	o, err := identity.OpenOIDC(config(path), c.now, slog.New(slog.NewTextHandler(&said, nil)))
	require.NoError(t, err)
	for range 5 {
		_, ok := o.Token(i.sign(t, alices(c, map[string]any{"iss": "https://id.example.com/"})))
		require.False(t, ok)
	}
	assert.Equal(t, 1, strings.Count(said.String(), "\n"))
	assert.Contains(t, said.String(), "invalid issuer claim (iss)")
	c.move(time.Minute)
	_, ok := o.Token(i.sign(t, alices(c, map[string]any{"groups": []string{"staff"}})))
	require.False(t, ok)
	assert.Contains(t, said.String(), "alice@example.com is in none of the groups that may answer")
	assert.Contains(t, said.String(), "refused=5", "with those that were not logged")
	assert.NotContains(t, said.String(), "eyJ", "it quotes no token")
}

func TestAKeyOfAnUnknownTypeDoesNotPreventUsingOrRemovingOtherKeys(t *testing.T) {
	old, next := newIssuer(t, "k1"), newIssuer(t, "k2")
	for name, odd := range map[string]string{
		"an unknown kind":      `{"kty":"AKP","kid":"pq","alg":"ML-DSA-65","pub":"AA"}`,
		"an unknown curve":     `{"kty":"EC","crv":"secp256k1","kid":"btc","x":"AA","y":"AA"}`,
		"a key for agreement":  `{"kty":"OKP","crv":"X25519","kid":"dh","x":"YWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWFhYWE"}`,
		"half a key":           `{"kty":"EC","crv":"P-256","kid":"half","x":"AA"}`,
		"a shared secret":      `{"kty":"oct","kid":"secret","k":"AAAA"}`,
		"no key at all":        `7`,
		"a key that is leaked": jwk(t, old.key, "k1"),
	} {
		t.Run(name, func(t *testing.T) {
			c, path := newClock(), filepath.Join(t.TempDir(), "jwks.json")
			require.NoError(t, os.WriteFile(path, old.jwks(t), 0o600))
			o, err := identity.OpenOIDC(config(path), c.now, slog.New(slog.DiscardHandler))
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(path, setOf(odd, jwk(t, next.key.Public(), "k2")), 0o600))
			require.NoError(t, o.Fetch(t.Context()))
			_, ok := o.Token(next.sign(t, alices(c, nil)))
			assert.True(t, ok)
			_, ok = o.Token(old.sign(t, alices(c, nil)))
			assert.False(t, ok, "the issuer has taken it away")
		})
	}
}

func TestATokenSignedWithAShortRSAKeyIsRefused(t *testing.T) {
	for bits, valid := range map[int]bool{1024: false, 2048: true} {
		key, err := rsa.GenerateKey(rand.Reader, bits)
		require.NoError(t, err)
		c, path := newClock(), filepath.Join(t.TempDir(), "jwks.json")
		require.NoError(t, os.WriteFile(path, setOf(jwk(t, key.Public(), "r"), jwk(t, newIssuer(t, "k1").key.Public(), "k1")), 0o600))
		o, err := identity.OpenOIDC(config(path), c.now, slog.New(slog.DiscardHandler))
		require.NoError(t, err)
		signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "r"))
		require.NoError(t, err)
		token, err := jwt.Signed(signer).Claims(alices(c, nil)).Serialize()
		require.NoError(t, err)
		_, ok := o.Token(token)
		assert.Equal(t, valid, ok, "%d bits", bits)
	}
}

func TestAnInvalidIssuerConfigurationIsRefused(t *testing.T) {
	for name, change := range map[string]func(*identity.OIDCConfig){
		"no issuer":                   func(c *identity.OIDCConfig) { c.Issuer = "" },
		"no audience":                 func(c *identity.OIDCConfig) { c.Audience = "" },
		"no keys":                     func(c *identity.OIDCConfig) { c.Keys = "" },
		"no group":                    func(c *identity.OIDCConfig) { c.Approvers = nil },
		"keys over the open network":  func(c *identity.OIDCConfig) { c.Keys = "http://id.example.com/keys" },
		"a file that is not there":    func(c *identity.OIDCConfig) { c.Keys = "/nonexistent/jwks.json" },
		"a directory in a file's way": func(c *identity.OIDCConfig) { c.Keys = "/" },
	} {
		cfg := config("https://id.example.com/keys")
		change(&cfg)
		_, err := identity.OpenOIDC(cfg, time.Now, slog.New(slog.DiscardHandler))
		require.Error(t, err, name)
	}
}
