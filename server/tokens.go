package server

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gavel"
	"gavel/internal/private"
)

const (
	tokenBytes   = 32   // of randomness in a new token
	minToken     = 32   // characters of a token that is taken as a secret
	maxTokenFile = 4096 // bytes
)

// Tokens is the set of bearer tokens that a server accepts: at most one per scope and, for the
// scope approve, one for each person. It has only their hashes. The zero value accepts none.
type Tokens struct {
	known []credential
}

type credential struct {
	name string // a scope, or approve:alice for a person's token
	sum  [sha256.Size]byte
}

// NewTokens returns the set of some tokens in the clear, by the names of their credentials: a
// scope, or approve:NAME. A token has at least 32 printable ASCII characters, no spaces, and
// only one name.
func NewTokens(tokens map[string]string) (Tokens, error) {
	var t Tokens
	for name, token := range tokens {
		if err := t.add(name, token); err != nil {
			return Tokens{}, fmt.Errorf("token of the scope %q: %w", name, err)
		}
	}
	return t, nil
}

func (t *Tokens) add(credentialName, token string) error {
	switch scope, person := gavel.ScopeOf(credentialName); {
	case scope == gavel.ScopeApprove && credentialName != string(scope) && !ValidName(person):
		return errors.New("a person's name has letters, digits, - and _ only, and begins with a letter")
	case scope == gavel.ScopeApprove, credentialName == string(scope) && scope.ForTokens():
	default:
		return fmt.Errorf("no such scope; use %s, or %s:NAME for a person", gavel.OneOf(gavel.TokenScopes(0)), gavel.ScopeApprove)
	}
	if strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return errors.New("it has characters other than printable ASCII")
	}
	if len(token) < minToken {
		return fmt.Errorf("it has %d characters; a secret needs at least %d", len(token), minToken)
	}
	if other, ok := t.name(token); ok {
		return fmt.Errorf("it is also the token of the scope %s", other)
	}
	t.known = append(t.known, credential{credentialName, sha256.Sum256([]byte(token))})
	return nil
}

// ValidName reports whether a name is valid for a person: lower-case letters, digits, - and _,
// beginning with a letter, at most 64 characters.
func ValidName(name string) bool {
	for i, r := range name {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || !(r >= '0' && r <= '9' || r == '-' || r == '_')) {
			return false
		}
	}
	return name != "" && len(name) <= 64
}

// digests returns the SHA-256 of the tokens in hexadecimal, by the names of their credentials.
func (t Tokens) digests() map[string]string {
	digests := make(map[string]string, len(t.known))
	for i := range t.known {
		digests[t.known[i].name] = hex.EncodeToString(t.known[i].sum[:])
	}
	return digests
}

// name returns the name of a token's credential. The time that it takes does not reveal how much of
// a token is right, or which token it is.
func (t Tokens) name(token string) (found string, ok bool) {
	if len(t.known) == 0 {
		return found, false
	}
	sum := sha256.Sum256([]byte(token))
	for i := range t.known {
		if subtle.ConstantTimeCompare(sum[:], t.known[i].sum[:]) == 1 {
			found, ok = t.known[i].name, true
		}
	}
	return found, ok
}

// OpenTokens reads dir/tokens/<scope>.token for every scope, and first creates
// what is missing, and dir/tokens/approve.<name>.token for every person who has
// one: dir and dir/tokens with mode 0700, and each file with mode
// 0600 and 32 random bytes in base64url.
//
// An existing file is never changed. It is refused if it is not a regular file, belongs to someone
// else, is accessible to group or others, or contains no token.
func OpenTokens(dir string) (Tokens, error) { return openTokens(dir, true) }

// openTokens implements OpenTokens. If shared is false, it removes the token of the scope approve
// that several people may share, so that only named people can answer.
func openTokens(dir string, shared bool) (Tokens, error) {
	var t Tokens
	folder := filepath.Join(dir, "tokens")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return t, fmt.Errorf("open tokens: %w", err)
	}
	info, err := os.Lstat(folder)
	if err != nil {
		return t, fmt.Errorf("open tokens: %w", err)
	}
	if err := private.CheckDirectory(folder, info); err != nil {
		return t, fmt.Errorf("open tokens: %w", err)
	}
	for _, scope := range gavel.TokenScopes(0) {
		path := filepath.Join(folder, string(scope)+".token")
		if scope == gavel.ScopeApprove && !shared {
			if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return Tokens{}, fmt.Errorf("open tokens: remove the shared token of the scope approve: %w", err)
			}
			continue
		}
		token, err := readToken(path)
		if errors.Is(err, fs.ErrNotExist) {
			token, err = createToken(path)
		}
		if err := t.addFromFile(path, string(scope), token, err); err != nil {
			return Tokens{}, err
		}
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return Tokens{}, fmt.Errorf("open tokens: %w", err)
	}
	for _, entry := range entries {
		name, ok := personInFileName(entry.Name())
		if !ok {
			continue
		}
		path := filepath.Join(folder, entry.Name())
		token, err := readToken(path)
		if err := t.addFromFile(path, approverCredential(name), token, err); err != nil {
			return Tokens{}, err
		}
	}
	return t, nil
}

// approverCredential returns the name of a person's credential.
func approverCredential(person string) string { return string(gavel.ScopeApprove) + ":" + person }

// personInFileName returns alice for approve.alice.token.
func personInFileName(file string) (name string, ok bool) {
	name, ok = strings.CutPrefix(file, "approve.")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(name, ".token")
}

// addFromFile adds a token that was read from path, or explains the error of reading it.
func (t *Tokens) addFromFile(path, name, token string, err error) error {
	if err != nil {
		return fmt.Errorf("open tokens: %w; or delete it for a new token", err)
	}
	if err := t.add(name, token); err != nil {
		return fmt.Errorf("open tokens: %s: %w; repair the file, or delete it for a new token", path, err)
	}
	return nil
}

func readToken(path string) (string, error) {
	data, err := private.ReadFile(path, maxTokenFile)
	if err != nil {
		return "", err
	}
	token := strings.TrimRight(string(data), "\r\n")
	if strings.TrimSpace(token) == "" {
		return "", &private.Error{Path: path, Problem: "it is blank", Fix: "put a token there"}
	}
	return token, nil
}

// createToken writes a new token to path. If another process was faster, it returns that one's
// token.
func createToken(path string) (string, error) {
	secret := make([]byte, tokenBytes)
	rand.Read(secret) //nolint:errcheck // documented never to fail
	text := base64.RawURLEncoding.EncodeToString(secret) + "\n"
	if err := private.CreateFile(path, []byte(text), 0o600); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return readToken(path)
}
