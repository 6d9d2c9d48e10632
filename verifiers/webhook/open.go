package webhook

import (
	"context"
	"os"
	"strings"
	"time"

	"gavel"
	"gavel/internal/outgoing"
	"gavel/internal/reference"
)

// Environment has what settings depend on.
type Environment struct {
	Getenv func(string) string
	Now    func() time.Time
}

// Open creates a client from the settings at a configuration path. It expands variables, reads
// secrets and certificates, and checks everything. The error is a *gavel.PolicyError with every
// problem, and never contains a secret.
func Open(ctx context.Context, path string, settings gavel.WebhookSettings, env Environment) (*Client, error) {
	r := reference.New(ctx, path, env.Getenv)
	cfg := Config{Headers: map[string]string{}, RequireEcho: settings.RequireRequestIDEcho, AllowHTTP: settings.AllowHTTP == "loopback",
		Networks: settings.AllowAddresses, Now: env.Now}
	cfg.URL = r.Expand("url", settings.URL)
	for name, value := range settings.Headers {
		cfg.Headers[name] = header(r, name, value)
		if secret := cfg.Headers[name][strings.LastIndexByte(cfg.Headers[name], ' ')+1:]; value != cfg.Headers[name] && secret != "" {
			cfg.Credentials = append(cfg.Credentials, secret)
		}
	}
	cfg.Secret = key(r, "secret", settings.Secret)
	cfg.Previous = key(r, "previousSecret", settings.PreviousSecret)
	cfg.Response = key(r, "responseSecret", settings.ResponseSecret)
	if settings.TLS.CA != "" {
		cfg.CA = r.File("tls.ca", settings.TLS.CA, os.ReadFile)
	}
	if settings.TLS.Cert != "" && settings.TLS.Key != "" {
		cfg.Certificate = r.Certificate(settings.TLS.Cert, settings.TLS.Key)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	client, err := New(cfg)
	if err != nil {
		r.Problem("", err.Error(), "see docs/verifier.md")
		return nil, r.Err()
	}
	return client, nil
}

func header(r *reference.Reader, name, text string) string {
	value := r.Expand("headers."+name, text)
	if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c > '~' }) {
		r.Problem("headers."+name, "the value has characters that no header may have", "use printable ASCII characters")
	}
	return value
}

// key reads a signing key. Without a secret, it returns the zero key.
func key(r *reference.Reader, name string, from gavel.SecretReference) outgoing.Key {
	text := r.Secret(name, from)
	if text == "" {
		return outgoing.Key{}
	}
	signing, err := outgoing.ParseKey(text)
	if err != nil {
		r.Problem(name, err.Error(), "use text, or whsec_ and base64")
	}
	return signing
}
