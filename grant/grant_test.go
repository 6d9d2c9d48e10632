package grant_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/grant"
)

func start() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }

func keys(t *testing.T) (ed25519.PrivateKey, ed25519.PublicKey) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	return private, public
}

func claimsFor(b *grant.Bound) grant.Claims {
	hash := b.Hash()
	return grant.Claims{ID: "one-time", Approval: "a1", IssuedAt: start().Unix(), Expires: start().Add(time.Minute).Unix(), Binding: hash.Hash, Parts: hash.Parts}
}

func bound() *grant.Bound { return &grant.Vectors()[1].Bound }

func code(err error) string {
	var known *grant.Error
	if errors.As(err, &known) {
		return known.Code
	}
	return fmt.Sprint(err)
}

func at(when time.Time) func() time.Time { return func() time.Time { return when } }

func TestAGrantPermitsExactlyWhatWasApproved(t *testing.T) {
	private, public := keys(t)
	token, err := grant.Sign(private, claimsFor(bound()))
	require.NoError(t, err)
	assert.Len(t, strings.Split(token, "."), 3)
	v := &grant.Verifier{Keys: []ed25519.PublicKey{public}, Now: at(start())}
	claims, err := v.Verify(token, bound())
	require.NoError(t, err)
	assert.Equal(t, "a1", claims.Approval)

	other := bound()
	other.Cwd, other.Argv[0][2] = "/tmp", "OTHER"
	_, err = v.Verify(token, other)
	assert.Equal(t, grant.CodeMismatch, code(err))
	assert.EqualError(t, err, "approval binding mismatch: cwd, argv")
}

func TestAnInvalidGrantIsRefused(t *testing.T) {
	private, public := keys(t)
	stranger, strangers := keys(t)
	good := claimsFor(bound())
	sign := func(key ed25519.PrivateKey, change func(*grant.Claims)) string {
		c := good
		change(&c)
		token, err := grant.Sign(key, c)
		require.NoError(t, err)
		return token
	}
	same := func(*grant.Claims) {}
	token := sign(private, same)
	parts := strings.Split(token, ".")
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	require.NoError(t, err)
	forged := base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(payload), `"sub":"a1"`, `"sub":"a2"`, 1)))
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","typ":"gavel-grant+jwt"}`))
	untyped := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"EdDSA","typ":"JWT"}`))
	signed := func(header string, edits ...string) string {
		text := header + "." + base64.RawURLEncoding.EncodeToString([]byte(strings.NewReplacer(edits...).Replace(string(payload))))
		return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(private, []byte(text)))
	}
	v := &grant.Verifier{Keys: []ed25519.PublicKey{public}, Now: at(start())}
	for name, c := range map[string]struct{ token, want string }{
		"nothing":                       {"", grant.CodeInvalid},
		"no token":                      {"approved, honestly", grant.CodeInvalid},
		"another key":                   {sign(stranger, same), grant.CodeInvalid},
		"a payload that was edited":     {parts[0] + "." + forged + "." + parts[2], grant.CodeInvalid},
		"no signature":                  {none + "." + parts[1] + ".", grant.CodeInvalid},
		"a token of another kind":       {signed(untyped), grant.CodeInvalid},
		"a token of a megabyte":         {strings.Repeat("a", 1<<20), grant.CodeInvalid},
		"expired":                       {sign(private, func(c *grant.Claims) { c.Expires = start().Unix() }), grant.CodeExpired},
		"from the future":               {sign(private, func(c *grant.Claims) { c.IssuedAt = start().Add(time.Minute).Unix() }), grant.CodeInvalid},
		"without an id":                 {sign(private, func(c *grant.Claims) { c.ID = "" }), grant.CodeInvalid},
		"of another format of bindings": {signed(parts[0], `"format":"gavel-binding-2"`, `"format":"gavel-binding-3"`), grant.CodeInvalid},
		"without a binding":             {sign(private, func(c *grant.Claims) { c.Binding = "" }), grant.CodeInvalid},
	} {
		_, err := v.Verify(c.token, bound())
		assert.Equal(t, c.want, code(err), name)
	}
	_, err = v.Verify(signed(parts[0], `"format":"gavel-binding-2",`, ""), bound())
	assert.EqualError(t, err, `the binding of the grant has the format "gavel-binding-1", and this program computes gavel-binding-2: install the same version of Gavel where commands are decided and where they run`)
	_, err = v.Verify(signed(parts[0]), bound())
	assert.NoError(t, err, "of this format")
	_, err = (&grant.Verifier{Now: at(start())}).Verify(token, bound())
	assert.Equal(t, grant.CodeInvalid, code(err), "without keys nothing is known")
	_, err = (&grant.Verifier{Keys: []ed25519.PublicKey{strangers, public}, Now: at(start())}).Verify(token, bound())
	assert.NoError(t, err, "any of several keys")
}

func TestAGrantIsUsedOnce(t *testing.T) {
	var ledger grant.Ledger
	var used atomic.Int64
	claims := claimsFor(bound())
	var using sync.WaitGroup
	for range 64 {
		using.Go(func() {
			if err := ledger.Use(&claims, start()); err == nil {
				used.Add(1)
			} else {
				assert.Equal(t, grant.CodeUsed, code(err))
			}
		})
	}
	using.Wait()
	assert.EqualValues(t, 1, used.Load())
	assert.Equal(t, grant.CodeExpired, code(ledger.Use(&claims, start().Add(time.Hour))), "forgotten only when it is worth nothing")
}

func TestKeysAreReadFromPEM(t *testing.T) {
	_, public := keys(t)
	der, err := x509.MarshalPKIXPublicKey(public)
	require.NoError(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
	read, err := grant.ParseKeys(append(text, text...))
	require.NoError(t, err)
	assert.Equal(t, []ed25519.PublicKey{public, public}, read)
	_, err = grant.ParseKeys([]byte("no key"))
	assert.Error(t, err)
}

func TestVerifyingNeedsNoPolicyEngine(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "gavel/grant").Output()
	require.NoError(t, err)
	assert.Contains(t, string(out), "go-jose")
	for _, other := range []string{"open-policy-agent", "bbolt", "mvdan.cc", "gavel\n", "chi"} {
		assert.NotContains(t, string(out), other)
	}
}

func TestRT18ALedgerAcceptsAGrantOnceWhateverTheClockDoes(t *testing.T) {
	var ledger grant.Ledger
	start := time.Unix(1_700_000_000, 0)
	first := &grant.Claims{ID: "first", Expires: start.Unix() + 60}
	require.NoError(t, ledger.Use(first, start))
	require.NoError(t, ledger.Use(&grant.Claims{ID: "second", Expires: start.Unix() + 660}, start.Add(10*time.Minute)))
	require.Error(t, ledger.Use(first, start), "the clock was set back")
	require.NoError(t, ledger.Use(&grant.Claims{ID: "third", Expires: start.Unix() + 62}, start.Add(2*time.Second)))
}
