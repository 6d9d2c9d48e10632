package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"filippo.io/age"
)

const (
	maxFile     = 64 << 10
	passTime    = 5 * time.Second
	programTime = 10 * time.Second
	queryTime   = 5 * time.Second
)

// Settings say which programs and files the kinds use. "" looks a program up in the trusted
// directories.
type Settings struct {
	EnvFile      string // of env:
	PassBinary   string
	GopassBinary string
	OPBinary     string
	VaultBinary  string
	OPTokenFile  string
	AgeIdentity  string // file
	VaultAddr    string
	VaultNS      string
	VaultCACert  string
	VaultToken   string // file
	VaultInsane  bool   // no verification of certificates
}

// Value is a credential. Print it nowhere.
type Value struct {
	Text    string
	Expires time.Time // zero: unknown
}

// Reader reads credentials. It is safe for concurrent use.
type Reader struct {
	settings Settings
	getenv   func(string) string
}

// NewReader returns a reader. The environment is the daemon's: its HOME and its sessions
// with password managers are used.
func NewReader(settings Settings, getenv func(string) string) *Reader {
	return &Reader{settings: settings, getenv: getenv}
}

// Read reads a credential. An error never has a part of it.
func (r *Reader) Read(ctx context.Context, s Source) (Value, error) {
	value, err := r.read(ctx, s)
	if err == nil && s.Query != nil {
		value.Text, err = query(ctx, s, value.Text)
	}
	if err != nil {
		return Value{}, fmt.Errorf("read a credential from %s: %w", s.Kind, err)
	}
	if value.Text == "" {
		return Value{}, fmt.Errorf("read a credential from %s: it is empty", s.Kind)
	}
	if strings.ContainsRune(value.Text, 0) {
		return Value{}, fmt.Errorf("read a credential from %s: it has a null character, which no variable can hold", s.Kind)
	}
	return value, nil
}

func (r *Reader) read(ctx context.Context, s Source) (Value, error) {
	switch s.Kind {
	case Env:
		return r.env(s.Name)
	case File:
		text, err := readFile(s.Name, true)
		return Value{Text: strings.TrimRight(text, "\r\n")}, err
	case Age:
		return r.age(s.Name)
	case Pass, Gopass, OP, Vault, Keychain:
		return r.program(ctx, s)
	case ExecJSON:
		return r.helper(ctx, s.Name)
	}
	return Value{}, errors.New("this kind of source does not exist")
}

// env reads a line NAME=value of the file for such credentials.
func (r *Reader) env(name string) (Value, error) {
	text, err := readFile(r.settings.EnvFile, false)
	if err != nil {
		return Value{}, err
	}
	for line := range strings.Lines(text) {
		if key, value, found := strings.Cut(strings.TrimRight(line, "\r\n"), "="); found && key == name {
			return Value{Text: value}, nil
		}
	}
	return Value{}, fmt.Errorf("%s has no line %s=", r.settings.EnvFile, name)
}

// readFile reads a file that root or this user owns and nobody else may change or read, but for
// its group. Kubernetes mounts secrets behind symbolic links, which follow allows.
func readFile(path string, follow bool) (string, error) {
	flags := os.O_RDONLY | nonblock
	if !follow {
		flags |= nofollow
	}
	file, err := os.OpenFile(path, flags, 0)
	if err != nil {
		return "", err
	}
	defer file.Close() //nolint:errcheck // it was only read
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is not a regular file", path)
	case !trusted(info):
		return "", fmt.Errorf("%s belongs to another user: make it one of this user or of root", path)
	case info.Mode().Perm()&0o037 != 0:
		return "", fmt.Errorf("%s has the mode %04o, so that others may read or change it: run chmod 600 %s", path, info.Mode().Perm(), path)
	case info.Size() > maxFile:
		return "", fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err == nil && len(text) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return string(text), err
}

// age decrypts a file with the identities of the configured file.
func (r *Reader) age(path string) (Value, error) {
	identities := r.settings.AgeIdentity
	if dir := r.getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		if given := filepath.Join(dir, "age-identity"); exists(given) {
			identities = given // of systemd
		}
	}
	text, err := readFile(identities, true)
	if err != nil {
		return Value{}, err
	}
	known, err := age.ParseIdentities(strings.NewReader(text))
	if err != nil {
		return Value{}, fmt.Errorf("the identities in %s cannot be read", identities) // the cause may quote them
	}
	file, err := os.OpenFile(path, os.O_RDONLY|nonblock, 0)
	if err != nil {
		return Value{}, err
	}
	defer file.Close() //nolint:errcheck // it was only read
	plain, err := decrypt(file, known)
	if err != nil {
		return Value{}, fmt.Errorf("decrypt %s: %w", path, err)
	}
	return Value{Text: strings.TrimRight(plain, "\r\n")}, nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// trustedBinary finds a program by its name in the directories of packages.
func trustedBinary(configured, name string) (string, error) {
	if configured != "" {
		return configured, nil
	}
	dirs := []string{"/usr/bin", "/usr/local/bin"}
	if runtime.GOOS == "darwin" {
		dirs = append(dirs, "/opt/homebrew/bin")
	}
	for _, dir := range append(dirs, "/home/linuxbrew/.linuxbrew/bin") {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, nil
		}
	}
	return "", fmt.Errorf("%s is not installed in %s: install it, or name it by its absolute path in the section proxy", name, strings.Join(dirs, ", "))
}
