package approvals

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gavel"
	"gavel/grant"
	"gavel/internal/private"
)

// GrantLife is how long a grant may be used.
const GrantLife = 60 * time.Second

// maxKey is how large a file with a key may be, in bytes.
const maxKey = 4096

// Keys signs grants, and knows the key that verifies them.
type Keys struct {
	private ed25519.PrivateKey
	public  []byte // PEM
	newID   func() string
}

var _ Signer = (*Keys)(nil)

// OpenKeys reads dir/grant.key, and makes it where there is none, with mode 0600;
// dir/grant.pub has the key that verifiers need. A key that others could read or
// have put there is refused.
func OpenKeys(dir string, newID func() string) (*Keys, error) {
	path := filepath.Join(dir, "grant.key")
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = createKey(path)
	}
	if err != nil {
		return nil, fmt.Errorf("open the key of grants: %w", err)
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, fmt.Errorf("open the key of grants: %w", err)
	}
	k := &Keys{private: key, newID: newID, public: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}
	if err := os.WriteFile(filepath.Join(dir, "grant.pub"), k.public, 0o644); err != nil { //nolint:gosec // it is public
		return nil, fmt.Errorf("write the public key of grants: %w", err)
	}
	return k, nil
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := private.ReadFile(path, maxKey)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s: it holds no key in PEM", path)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%s: it holds a %T: want Ed25519", path, parsed)
	}
	return key, nil
}

func createKey(path string) (ed25519.PrivateKey, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	err = pem.Encode(file, &pem.Block{Type: "PRIVATE KEY", Bytes: der})
	return key, errors.Join(err, file.Sync(), file.Close())
}

// Public is the key that verifiers need, in PEM.
func (k *Keys) Public() []byte { return k.public }

// Verifier verifies grants of these keys.
func (k *Keys) Verifier(now func() time.Time) *grant.Verifier {
	return &grant.Verifier{Keys: []ed25519.PublicKey{k.private.Public().(ed25519.PublicKey)}, Now: now} //nolint:forcetypeassert // documented
}

// Sign implements Signer.
func (k *Keys) Sign(a gavel.Approval, now time.Time) (*gavel.Grant, error) {
	expires := now.Add(GrantLife).Truncate(time.Second)
	token, err := grant.Sign(k.private, grant.Claims{ID: k.newID(), Approval: a.ID, IssuedAt: now.Unix(), Expires: expires.Unix(),
		Binding: a.Binding, Parts: a.Parts, Agent: a.Request.Agent, Host: a.Request.Host, Node: a.Request.Node})
	if err != nil {
		return nil, err
	}
	return &gavel.Grant{Token: token, ExpiresAt: expires}, nil
}

// Redeem uses a grant up for what is about to run: it verifies it, compares, and
// remembers that it was used, in the store that approvals are in. Codes:
// CodeGrantInvalid, CodeGrantExpired, CodeGrantMismatch with the fields that differ,
// CodeGrantUsed.
func (m *Manager) Redeem(ctx context.Context, v *grant.Verifier, token string, actual *grant.Bound) (*grant.Claims, error) {
	claims, err := v.Verify(token, actual)
	if err != nil {
		return nil, GrantError(err)
	}
	now := m.cfg.Now()
	if err := m.cfg.Store.Redeem(ctx, claims.ID, now, time.Unix(claims.Expires, 0).Add(GrantLife)); err != nil {
		return nil, err
	}
	return claims, nil
}

// GrantError says in the words of the API why a grant permits nothing. Another error
// stays as it is.
func GrantError(err error) error {
	var known *grant.Error
	if !errors.As(err, &known) {
		return err
	}
	fix := "have the call decided, and approved, anew"
	if known.Code == grant.CodeMismatch {
		fix = "run exactly what was approved, or have this approved"
	}
	return &gavel.ApprovalError{Code: known.Code, Message: known.Message, Fix: fix, Details: known.Fields}
}
