package webhook

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
	"gavel/internal/outgoing"
	"gavel/internal/private"
)

const (
	maxSecret   = 4 << 10 // bytes
	maxPEM      = 1 << 20
	commandTime = 10 * time.Second
)

// Environment is what settings refer to.
type Environment struct {
	Getenv func(string) string
	Now    func() time.Time
}

// Open makes a client from the settings at a configuration path: it looks variables up, reads
// secrets and certificates, and checks all of it. The error is a *gavel.PolicyError with every
// problem, and never holds a secret.
func Open(ctx context.Context, path string, settings gavel.WebhookSettings, env Environment) (*Client, error) {
	o := &opener{ctx: ctx, env: env, path: path}
	cfg := Config{Headers: map[string]string{}, RequireEcho: settings.RequireRequestIDEcho, AllowHTTP: settings.AllowHTTP == "loopback",
		Networks: settings.AllowAddresses, Now: env.Now}
	cfg.URL = o.expanded("url", settings.URL)
	for name, value := range settings.Headers {
		cfg.Headers[name] = o.header(name, value)
	}
	cfg.Secret = o.key("secret", settings.Secret)
	cfg.Previous = o.key("previousSecret", settings.PreviousSecret)
	cfg.Response = o.key("responseSecret", settings.ResponseSecret)
	if settings.TLS.CA != "" {
		cfg.CA = o.file("tls.ca", settings.TLS.CA, os.ReadFile)
	}
	if settings.TLS.Cert != "" && settings.TLS.Key != "" {
		cfg.Certificate = o.certificate(settings.TLS.Cert, settings.TLS.Key)
	}
	if len(o.wrong) > 0 {
		return nil, &gavel.PolicyError{Problems: o.wrong}
	}
	client, err := New(cfg)
	if err != nil {
		o.add("", err.Error(), "see docs/verifier.md")
		return nil, &gavel.PolicyError{Problems: o.wrong}
	}
	return client, nil
}

// opener collects problems.
type opener struct {
	ctx   context.Context
	env   Environment
	path  string
	wrong []gavel.Problem
}

func (o *opener) add(key, message, fix string) {
	path := o.path
	if key != "" {
		path += "." + key
	}
	o.wrong = append(o.wrong, gavel.Problem{Path: path, Message: message, Fix: fix})
}

// expanded is a text with the values of its ${VARIABLE}s.
func (o *opener) expanded(key, text string) string {
	return regexp.MustCompile(`\$\{([A-Za-z_][A-Za-z0-9_]*)\}`).ReplaceAllStringFunc(text, func(reference string) string {
		return o.variable(key, reference)
	})
}

func (o *opener) variable(key, reference string) string {
	name := strings.TrimSuffix(strings.TrimPrefix(reference, "${"), "}")
	value := o.env.Getenv(name)
	if value == "" {
		o.add(key, fmt.Sprintf("the variable %s is not set, or empty", name), fmt.Sprintf("set %s for the process of Gavel", name))
	}
	return value
}

func (o *opener) header(name, text string) string {
	value := o.expanded("headers."+name, text)
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\t' || r > '~' }) {
		o.add("headers."+name, "the value has characters that no header may have", "use printable ASCII characters")
	}
	return value
}

// key reads a secret. None is a zero key.
func (o *opener) key(name string, from gavel.SecretReference) outgoing.Key {
	var text string
	switch {
	case from.IsZero():
		return outgoing.Key{}
	case from.Variable != "":
		text = o.variable(name, from.Variable)
	case from.File != "":
		text = string(o.file(name+".file", from.File, func(path string) ([]byte, error) { return private.ReadFile(path, maxSecret) }))
	default:
		text = o.command(name+".command", from.Command)
	}
	if text = strings.TrimRight(text, "\r\n"); text == "" {
		if len(o.wrong) == 0 {
			o.add(name, "the secret is empty", "write the secret where it is read from")
		}
		return outgoing.Key{}
	}
	key, err := outgoing.ParseKey(text)
	if err != nil {
		o.add(name, err.Error(), "use text, or whsec_ and base64")
	}
	return key
}

func (o *opener) file(key, path string, read func(string) ([]byte, error)) []byte {
	text, err := read(path)
	if err != nil {
		o.add(key, err.Error(), "name a file that this user can read, and, of a secret, that only this user can")
		return nil
	}
	return text
}

// command runs a program and returns what it prints. What it writes to standard error is not
// shown: it may quote the secret.
func (o *opener) command(key string, words []string) string {
	ctx, cancel := context.WithTimeout(o.ctx, commandTime)
	defer cancel()
	if !strings.HasPrefix(words[0], "/") {
		o.add(key, "the program is not named by its absolute path", "write its absolute path, such as /usr/bin/pass")
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
		o.add(key, "the program did not print the secret: "+why, "run it as the user of Gavel, and see what it says")
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

func (o *opener) certificate(cert, key string) *tls.Certificate {
	text := o.file("tls.cert", cert, os.ReadFile)
	secret := o.file("tls.key", key, func(path string) ([]byte, error) { return private.ReadFile(path, maxPEM) })
	if text == nil || secret == nil {
		return nil
	}
	pair, err := tls.X509KeyPair(text, secret)
	if err != nil {
		o.add("tls.cert", "certificate and key do not fit: "+err.Error(), "use the PEM files of one certificate")
		return nil
	}
	return &pair
}
