// Package reference reads what settings refer to instead of containing it: ${VARIABLE}s, secrets
// in variables, files or commands, and certificates. It collects every problem with the
// configuration path, and no problem holds a secret.
package reference

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"gavel"
	"gavel/internal/private"
)

const (
	maxSecret   = 4 << 10 // bytes
	maxPEM      = 1 << 20
	commandTime = 10 * time.Second
)

// Reader reads the references of one section. It is not safe for concurrent use.
type Reader struct {
	ctx    context.Context // commands end with it
	getenv func(string) string
	path   string
	wrong  []gavel.Problem
}

// New returns a reader for the section at a configuration path. Commands end when ctx does.
func New(ctx context.Context, path string, getenv func(string) string) *Reader {
	return &Reader{ctx: ctx, getenv: getenv, path: path}
}

// Problem adds a problem of a key of the section; "" is the section itself.
func (r *Reader) Problem(key, message, fix string) {
	path := r.path
	if key != "" {
		path += "." + key
	}
	r.wrong = append(r.wrong, gavel.Problem{Path: path, Message: message, Fix: fix})
}

// Err returns a *gavel.PolicyError with every problem, or nil.
func (r *Reader) Err() error {
	if len(r.wrong) == 0 {
		return nil
	}
	return &gavel.PolicyError{Problems: r.wrong}
}

// Expand replaces each ${VARIABLE} in a text by its value. A variable that is unset or empty is
// a problem.
func (r *Reader) Expand(key, text string) string {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`).ReplaceAllStringFunc(text, func(reference string) string {
		return r.variable(key, reference)
	})
}

func (r *Reader) variable(key, reference string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(reference, "${"), "}")
	value := r.getenv(name)
	if value == "" {
		r.Problem(key, fmt.Sprintf("the variable %s is not set, or empty", name), fmt.Sprintf("set %s for the process of Gavel", name))
	}
	return value
}

// Secret reads a secret, without line ends. It returns "" for no reference, and after a problem.
func (r *Reader) Secret(name string, from gavel.SecretReference) string {
	var text string
	before := len(r.wrong)
	switch {
	case from.IsZero():
		return ""
	case from.Variable != "":
		text = r.variable(name, from.Variable)
	case from.File != "":
		text = string(r.File(name+".file", from.File, func(path string) ([]byte, error) { return private.ReadFile(path, maxSecret) }))
	default:
		text = r.command(name+".command", from.Command)
	}
	if text = strings.TrimRight(text, "\r\n"); text == "" && len(r.wrong) == before {
		r.Problem(name, "the secret is empty", "write the secret where it is read from")
	}
	return text
}

// File reads a file. It returns nil after a problem.
func (r *Reader) File(key, path string, read func(string) ([]byte, error)) []byte {
	text, err := read(path)
	if err != nil {
		r.Problem(key, err.Error(), "name a file that this user can read; a secret must be readable by this user only")
		return nil
	}
	return text
}

// command runs a program and returns what it prints. What it writes to standard error is not
// shown: it may quote the secret.
func (r *Reader) command(key string, words []string) string {
	ctx, cancel := context.WithTimeout(r.ctx, commandTime)
	defer cancel()
	if !strings.HasPrefix(words[0], "/") {
		r.Problem(key, "the program is not named by its absolute path", "write its absolute path, such as /usr/bin/pass")
		return ""
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...) //nolint:gosec // the policy's author names it
	cmd.WaitDelay = time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &limited{&out, maxSecret}, io.Discard
	if err := cmd.Run(); err != nil {
		why := "it failed"
		var failed *exec.ExitError
		switch {
		case ctx.Err() != nil:
			why = "it did not end in time"
		case errors.As(err, &failed):
			why = fmt.Sprintf("it ended with the code %d", failed.ExitCode())
		}
		r.Problem(key, "the program did not print the secret: "+why, "run it as the user of Gavel, and see what it says")
		return ""
	}
	return out.String()
}

// limited is a writer that refuses more than so many bytes.
type limited struct {
	to   *bytes.Buffer
	most int
}

func (l *limited) Write(p []byte) (int, error) {
	if l.to.Len()+len(p) > l.most {
		return 0, errors.New("too long")
	}
	return l.to.Write(p)
}

// Certificate reads a client certificate and its key. It returns nil after a problem.
func (r *Reader) Certificate(cert, key string) *tls.Certificate {
	text := r.File("tls.cert", cert, os.ReadFile)
	secret := r.File("tls.key", key, func(path string) ([]byte, error) { return private.ReadFile(path, maxPEM) })
	if text == nil || secret == nil {
		return nil
	}
	pair, err := tls.X509KeyPair(text, secret)
	if err != nil {
		r.Problem("tls.cert", "certificate and key do not fit: "+err.Error(), "use the PEM files of one certificate")
		return nil
	}
	return &pair
}
