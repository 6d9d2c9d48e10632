// Package grant is for machines that run a command that was approved elsewhere: a node, a
// runner. It verifies a grant without asking Gavel, and imports no policy engine.
//
// A grant is a compact JWS, signed with Ed25519. It says that a person approved exactly this
// call, until a certain time, once. The call is identified by its binding (R29): fill a
// [Bound] with what is about to run, and [Verifier.Verify] says whether it was approved, or
// which fields differ. A grant is for one use. A [Ledger] remembers used grants until they
// expire; several runners can share one by asking Gavel instead, with POST /v1/grants/verify.
package grant

import (
	"cmp"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	issuer    = "gavel"
	tokenType = "gavel-grant+jwt"
	// firstFormat is the format of grants that name none.
	firstFormat = "gavel-binding-1"
	// MaxToken is the largest size of a grant, in bytes.
	MaxToken = 16 << 10
	// leeway is how far the clocks of two machines may differ: a grant may have been issued
	// slightly in the future. Its lifetime does not get longer.
	leeway = 30 * time.Second
)

// Codes of errors.
const (
	CodeInvalid  = "grant_invalid"
	CodeExpired  = "grant_expired"
	CodeMismatch = "grant_mismatch"
	CodeUsed     = "grant_used"
)

// Error says why a grant does not permit a call.
type Error struct {
	Code    string
	Message string
	Fields  []string // which differ, for CodeMismatch
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Claims is the content of a grant.
type Claims struct {
	Issuer   string            `json:"iss"`
	ID       string            `json:"jti"`    // for one use
	Approval string            `json:"sub"`    // the approval's id
	IssuedAt int64             `json:"iat"`    // Unix seconds
	Expires  int64             `json:"exp"`    // Unix seconds
	Format   string            `json:"format"` // of the binding; "" is gavel-binding-1
	Binding  string            `json:"binding"`
	Parts    map[string]string `json:"parts"` // of the binding, by field
	// Obligations are those of the decision that came with the grant; see [Obligations].
	Obligations map[string]string `json:"obligations,omitempty"`
	Agent       string            `json:"agent"`
	Host        string            `json:"host,omitempty"`
	Node        string            `json:"node,omitempty"`
}

// Sign writes a grant.
func Sign(key ed25519.PrivateKey, claims Claims) (string, error) {
	claims.Issuer, claims.Format = issuer, Format
	payload, err := json.Marshal(claims)
	if err != nil {
		return "", fmt.Errorf("sign a grant: %w", err)
	}
	options := new(jose.SignerOptions).WithType(tokenType).
		WithHeader("kid", KeyID(key.Public().(ed25519.PublicKey))) //nolint:forcetypeassert // documented
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, options)
	if err != nil {
		return "", fmt.Errorf("sign a grant: %w", err)
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("sign a grant: %w", err)
	}
	return signed.CompactSerialize()
}

// KeyID names a key: the first 16 characters of its hash.
func KeyID(key ed25519.PublicKey) string {
	sum := sha256.Sum256(key)
	return base64.RawURLEncoding.EncodeToString(sum[:])[:16]
}

// ParseKeys reads one or more public keys in PEM. Several are accepted while a key is being
// replaced.
func ParseKeys(text []byte) ([]ed25519.PublicKey, error) {
	var keys []ed25519.PublicKey
	for {
		block, rest := pem.Decode(text)
		if block == nil {
			break
		}
		text = rest
		parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
		if err != nil {
			return nil, fmt.Errorf("read a public key: %w", err)
		}
		key, ok := parsed.(ed25519.PublicKey)
		if !ok {
			return nil, fmt.Errorf("a public key is a %T: want Ed25519", parsed)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no PEM public key")
	}
	return keys, nil
}

// Verifier verifies grants. It is safe for concurrent use.
type Verifier struct {
	Keys []ed25519.PublicKey
	Now  func() time.Time
}

// Read returns a grant's content, if one of the keys signed it and it has not expired. It
// does not check any call. Errors are *Error.
func (v *Verifier) Read(token string) (*Claims, error) {
	token = strings.TrimSpace(token)
	if len(token) > MaxToken {
		return nil, &Error{Code: CodeInvalid, Message: "the grant is too long"}
	}
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{jose.EdDSA})
	if err != nil || len(signed.Signatures) != 1 || signed.Signatures[0].Protected.ExtraHeaders[jose.HeaderType] != tokenType {
		return nil, &Error{Code: CodeInvalid, Message: "the text is not a grant"}
	}
	for _, key := range v.Keys {
		payload, err := signed.Verify(key)
		if err != nil {
			continue
		}
		var claims Claims
		if err := json.Unmarshal(payload, &claims); err != nil {
			return nil, &Error{Code: CodeInvalid, Message: "the grant's content cannot be read"}
		}
		return &claims, v.check(&claims)
	}
	return nil, &Error{Code: CodeInvalid, Message: "the grant was not signed by a known key"}
}

func (v *Verifier) check(c *Claims) error {
	now := v.Now()
	switch {
	case c.Issuer != issuer || c.ID == "" || c.Approval == "" || len(c.Binding) != 2*sha256.Size:
		return &Error{Code: CodeInvalid, Message: "the grant lacks a required field"}
	case now.Unix() >= c.Expires:
		return &Error{Code: CodeExpired, Message: "the grant has expired"}
	case now.Add(leeway).Unix() < c.IssuedAt:
		return &Error{Code: CodeInvalid, Message: "the grant was issued in the future"}
	case c.Format != Format:
		return &Error{Code: CodeInvalid, Message: fmt.Sprintf("the binding of the grant has the format %q, and this program computes %s: install the same version of Gavel where commands are decided and where they run",
			cmp.Or(c.Format, firstFormat), Format)}
	}
	return nil
}

// Verify reads a grant and compares it with what is about to run. A mismatch names the fields
// that differ. It does not use up the grant; the ledger does.
func (v *Verifier) Verify(token string, actual *Bound) (*Claims, error) {
	claims, err := v.Read(token)
	if err != nil {
		return nil, err
	}
	hash := actual.Hash()
	if hash.Hash == claims.Binding {
		return claims, nil
	}
	fields := Differing(claims.Parts, hash.Parts)
	return nil, &Error{Code: CodeMismatch, Message: "approval binding mismatch: " + strings.Join(fields, ", "), Fields: fields}
}

// Ledger remembers which grants were used, until they expire. The zero value is
// ready, for one process. It is safe for concurrent use.
type Ledger struct {
	mu   sync.Mutex
	uses Uses
}

// Use uses up a grant: the first call returns nil, every other one CodeUsed.
func (l *Ledger) Use(c *Claims, now time.Time) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.uses.Use(c, now)
}

// Uses is the content of a ledger, for those who keep it in a file. The zero value is ready. It is
// not safe for concurrent use.
type Uses struct {
	// Used has the grants that were used, and when each expires, in Unix seconds.
	Used map[string]int64 `json:"used"`
	// Below is the latest expiry of a forgotten grant. The clock may be set back, so no grant
	// that expires by then is accepted any longer.
	Below int64 `json:"below"`
}

// Use is [Ledger.Use].
func (u *Uses) Use(c *Claims, now time.Time) error {
	if u.Used == nil {
		u.Used = map[string]int64{}
	}
	for id, expires := range u.Used {
		if expires <= now.Unix() {
			delete(u.Used, id)
			u.Below = max(u.Below, expires)
		}
	}
	switch _, used := u.Used[c.ID]; {
	case used:
		return &Error{Code: CodeUsed, Message: "the grant has already been used"}
	case now.Unix() >= c.Expires:
		return &Error{Code: CodeExpired, Message: "the grant has expired"}
	case c.Expires <= u.Below:
		return &Error{Code: CodeUsed, Message: "the grant is older than the record of used grants, so it may have been used"}
	}
	u.Used[c.ID] = c.Expires
	return nil
}
