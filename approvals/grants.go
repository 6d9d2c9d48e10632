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
	"slices"
	"time"

	"gavel"
	"gavel/grant"
	"gavel/internal/private"
)

// GrantLife is how long a grant is valid.
const GrantLife = 60 * time.Second

// The largest size of a key file, and of a file with public keys, in bytes.
const (
	maxKey    = 4096
	maxPublic = 64 << 10
)

// Keys signs grants, and has the key that verifies them.
type Keys struct {
	private ed25519.PrivateKey
	public  []byte // PEM
	newID   func() string
}

var _ Signer = (*Keys)(nil)

// OpenKeys reads dir/grant.key, or creates it with mode 0600; dir/grant.pub has the key for
// verifiers. A key that others could read or replace is refused, and a key is never
// overwritten: if several processes start at once, all use the first one's key.
func OpenKeys(dir string, newID func() string) (*Keys, error) {
	key, err := openKey(dir)
	if err != nil {
		return nil, fmt.Errorf("open the key of grants: %w", err)
	}
	public := key.Public().(ed25519.PublicKey) //nolint:forcetypeassert // documented
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		return nil, fmt.Errorf("open the key of grants: %w", err)
	}
	k := &Keys{private: key, newID: newID, public: pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})}
	if path := filepath.Join(dir, "grant.pub"); !published(path, public) {
		if err := private.ReplaceFile(path, k.public, 0o644); err != nil {
			return nil, fmt.Errorf("write the public key of grants to %s: %w", path, err)
		}
	}
	return k, nil
}

func openKey(dir string) (ed25519.PrivateKey, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := private.CheckPlace(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "grant.key")
	key, err := readKey(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	if err := createKey(path); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return readKey(path) // another process may have created it first
}

// published reports whether a file of this user already has the key, alone or with keys that
// an operator has added.
func published(path string, key ed25519.PublicKey) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || !private.Owned(info) || info.Mode().Perm()&0o022 != 0 || info.Size() > maxPublic {
		return false
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	keys, err := grant.ParseKeys(text)
	return err == nil && slices.ContainsFunc(keys, func(known ed25519.PublicKey) bool { return key.Equal(known) })
}

func readKey(path string) (ed25519.PrivateKey, error) {
	text, err := private.ReadFile(path, maxKey)
	if err != nil {
		return nil, err
	}
	const fix = "restore it, or delete it for a new one; grants of the old key then fail to verify"
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, &private.Error{Path: path, Problem: "it contains no key in PEM", Fix: fix}
	}
	parsed, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, &private.Error{Path: path, Problem: "its key cannot be read: " + err.Error(), Fix: fix}
	}
	key, ok := parsed.(ed25519.PrivateKey)
	if !ok {
		return nil, &private.Error{Path: path, Problem: fmt.Sprintf("it contains a %T, not an Ed25519 key", parsed), Fix: fix}
	}
	return key, nil
}

func createKey(path string) error {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	return private.CreateFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600)
}

// Public returns the key for verifiers, in PEM.
func (k *Keys) Public() []byte { return k.public }

// Verifier verifies grants of these keys.
func (k *Keys) Verifier(now func() time.Time) *grant.Verifier {
	return &grant.Verifier{Keys: []ed25519.PublicKey{k.private.Public().(ed25519.PublicKey)}, Now: now} //nolint:forcetypeassert // documented
}

// Sign implements Signer.
func (k *Keys) Sign(a gavel.Approval, exec *gavel.Exec, now time.Time) (*gavel.Grant, error) {
	expires := now.Add(GrantLife).Truncate(time.Second)
	obligations, err := grant.Obligations(exec.Obligations())
	if err != nil {
		return nil, err
	}
	token, err := grant.Sign(k.private, grant.Claims{ID: k.newID(), Approval: a.ID, IssuedAt: now.Unix(), Expires: expires.Unix(),
		Binding: a.Binding, Parts: a.Parts, Obligations: obligations, Agent: a.Request.Agent, Host: a.Request.Host, Node: a.Request.Node})
	if err != nil {
		return nil, err
	}
	return &gavel.Grant{Token: token, ExpiresAt: expires}, nil
}

// Redeem uses up a grant for the call that is about to run: it verifies and compares it, and
// records its use in the approvals store. Codes: CodeGrantInvalid, CodeGrantExpired,
// CodeGrantMismatch with the fields that differ, CodeGrantUsed.
func (m *Manager) Redeem(ctx context.Context, v *grant.Verifier, token string, actual *grant.Bound) (*grant.Claims, error) {
	return m.RedeemFor(ctx, gavel.Caller{}, v, token, actual)
}

// RedeemFor is Redeem with a caller for the record. A use that cannot be recorded permits
// nothing.
func (m *Manager) RedeemFor(ctx context.Context, by gavel.Caller, v *grant.Verifier, token string, actual *grant.Bound) (*grant.Claims, error) {
	claims, err := v.Verify(token, actual)
	if err != nil {
		return nil, GrantError(err)
	}
	if err := m.stopped(ctx, claims); err != nil {
		return nil, err
	}
	now := m.cfg.Now()
	if err := m.cfg.Store.Redeem(ctx, claims.ID, now, time.Unix(claims.Expires, 0).Add(GrantLife)); err != nil {
		return nil, err
	}
	err = m.write(ctx, gavel.AuditEvent{Kind: gavel.AuditGrantRedeemed, By: by.Credential, From: by.From, Agent: claims.Agent, Approval: claims.Approval,
		Detail: map[string]any{"grant": claims.ID, "binding": claims.Binding}})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// stopped refuses a grant of an agent that was paused since. Those that spawned it are known for as
// long as the approval is.
func (m *Manager) stopped(ctx context.Context, claims *grant.Claims) error {
	about, err := m.cfg.Store.Get(ctx, claims.Approval)
	if err != nil {
		about = gavel.Approval{Request: gavel.ApprovalRequest{Agent: claims.Agent}}
	}
	if p := m.paused(&about); p.State != "" {
		return &gavel.ApprovalError{Code: gavel.CodeGrantInvalid, Message: describePause(p), Fix: "have the call decided again when it is resumed"}
	}
	return nil
}

// GrantError translates why a grant permits nothing into an API error. Other errors stay
// unchanged.
func GrantError(err error) error {
	var known *grant.Error
	if !errors.As(err, &known) {
		return err
	}
	fix := "have the call decided and approved again"
	if known.Code == grant.CodeMismatch {
		fix = "run exactly what was approved, or have this call approved"
	}
	return &gavel.ApprovalError{Code: known.Code, Message: known.Message, Fix: fix, Details: known.Fields}
}
