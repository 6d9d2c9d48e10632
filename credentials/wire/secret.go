package wire

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"gavel/internal/private"
)

// NewSecret returns a fresh secret.
func NewSecret() []byte {
	secret := make([]byte, SecretSize)
	_, _ = rand.Read(secret) // it never fails
	return secret
}

// WriteSecret writes a secret for clients, completely or not at all. What is there is replaced if
// it is a regular file; a symbolic link or anything else is an error, and is left unchanged. The
// mode is 0600 or 0640.
func WriteSecret(path string, secret []byte, mode fs.FileMode) error {
	if mode != 0o600 && mode != 0o640 {
		return fmt.Errorf("write the secret %s: the mode is %04o: use 0600, or 0640 for a group", path, mode)
	}
	if err := private.CheckPlace(filepath.Dir(path)); err != nil {
		return fmt.Errorf("write the secret: %w", err)
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("write the secret: %w", err)
	case info.Mode().Type() == fs.ModeSymlink:
		return fmt.Errorf("write the secret: %s is a symbolic link (symlink): remove it, or name another file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("write the secret: %s is not a regular file: remove it, or name another file", path)
	}
	text := base64.StdEncoding.EncodeToString(secret) + "\n"
	if err := private.ReplaceFile(path, []byte(text), mode); err != nil {
		return fmt.Errorf("write the secret: %w", err)
	}
	return nil
}

// ReadSecret reads a secret. A symbolic link, anything that is not a regular file, and a file that
// others may read or that the group may write are refused. So is any content but a secret.
func ReadSecret(path string) ([]byte, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|nofollow|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("read the secret: %s is a symbolic link (symlink): name the file itself", path)
	}
	if err != nil {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o027 != 0 {
		return nil, fmt.Errorf("read the secret: %s has the mode %s: want a regular file with mode 0600 or 0640", path, info.Mode())
	}
	text, err := io.ReadAll(io.LimitReader(file, 256))
	if err != nil {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	secret, err := base64.StdEncoding.Strict().DecodeString(strings.TrimSpace(string(text)))
	if err != nil || len(secret) != SecretSize {
		return nil, fmt.Errorf("read the secret: %s does not hold %d bytes as base64", path, SecretSize)
	}
	return secret, nil
}
