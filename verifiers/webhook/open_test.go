package webhook_test

import (
	"encoding/pem"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/verifiers/webhook"
)

func open(t *testing.T, settings gavel.WebhookSettings) []gavel.Problem {
	t.Helper()
	env := map[string]string{"HOST": "v.example", "SECRET": "hunter2-hunter2", "TOKEN": "tok\nen", "BAD": "whsec_%%"}
	c, err := webhook.Open(t.Context(), "tools.verifier.webhook", settings, webhook.Environment{Getenv: func(name string) string { return env[name] }, Now: time.Now})
	if err == nil {
		c.Close()
		return nil
	}
	var invalid *gavel.PolicyError
	require.True(t, errors.As(err, &invalid), "%v", err)
	for _, problem := range invalid.Problems {
		assert.NotContains(t, problem.String()+problem.Fix, "hunter2", "a problem never holds a secret")
	}
	return invalid.Problems
}

func TestSettingsAreOpened(t *testing.T) {
	dir := t.TempDir()
	private, shared, empty := filepath.Join(dir, "private"), filepath.Join(dir, "shared"), filepath.Join(dir, "empty")
	require.NoError(t, os.WriteFile(private, []byte("hunter2-hunter2\n"), 0o600))
	require.NoError(t, os.WriteFile(shared, []byte("hunter2-hunter2\n"), 0o600))
	require.NoError(t, os.Chmod(shared, 0o644))
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	with := func(secret gavel.SecretReference) gavel.WebhookSettings {
		return gavel.WebhookSettings{URL: "https://v.example", Secret: secret}
	}
	for name, c := range map[string]struct {
		settings gavel.WebhookSettings
		path     string // of the problem; none when it opens
		message  string
	}{
		"a variable":                     {settings: with(gavel.SecretReference{Variable: "${SECRET}"})},
		"a file":                         {settings: with(gavel.SecretReference{File: private})},
		"a command":                      {settings: with(gavel.SecretReference{Command: []string{"/bin/cat", private}})},
		"a variable in the url":          {settings: gavel.WebhookSettings{URL: "https://${HOST}/v"}},
		"a variable that is not set":     {with(gavel.SecretReference{Variable: "${NONE}"}), "tools.verifier.webhook.secret", "the variable NONE is not set, or empty"},
		"one in the url":                 {gavel.WebhookSettings{URL: "https://${NONE}/v"}, "tools.verifier.webhook.url", "the variable NONE is not set, or empty"},
		"one in a header":                {gavel.WebhookSettings{URL: "https://v.example", Headers: map[string]string{"Authorization": "Bearer ${NONE}"}}, "tools.verifier.webhook.headers.Authorization", "the variable NONE is not set, or empty"},
		"a header with a line feed":      {gavel.WebhookSettings{URL: "https://v.example", Headers: map[string]string{"X-A": "${TOKEN}"}}, "tools.verifier.webhook.headers.X-A", "characters that no header may have"},
		"a file that others can read":    {with(gavel.SecretReference{File: shared}), "tools.verifier.webhook.secret.file", "shared"},
		"a file that is not there":       {with(gavel.SecretReference{File: filepath.Join(dir, "none")}), "tools.verifier.webhook.secret.file", "none"},
		"an empty file":                  {with(gavel.SecretReference{File: empty}), "tools.verifier.webhook.secret", "the secret is empty"},
		"a command that fails":           {with(gavel.SecretReference{Command: []string{"/bin/cat", filepath.Join(dir, "none")}}), "tools.verifier.webhook.secret.command", "ended with the code 1"},
		"a command without its path":     {with(gavel.SecretReference{Command: []string{"cat", private}}), "tools.verifier.webhook.secret.command", "absolute path"},
		"a secret that is not base64":    {with(gavel.SecretReference{Variable: "${BAD}"}), "tools.verifier.webhook.secret", "not base64"},
		"authorities that are not there": {settingsWithCA(filepath.Join(dir, "none")), "tools.verifier.webhook.tls.ca", "none"},
		"authorities that are none":      {settingsWithCA(private), "tools.verifier.webhook", "tls.ca holds no certificate"},
	} {
		t.Run(name, func(t *testing.T) {
			found := open(t, c.settings)
			if c.path == "" {
				assert.Empty(t, found)
				return
			}
			require.Len(t, found, 1)
			assert.Equal(t, c.path, found[0].Path)
			assert.Contains(t, found[0].Message, c.message)
			assert.NotEmpty(t, found[0].Fix)
		})
	}
}

func TestACredentialThatAVerifierRepeatsIsNotShown(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		answering(`{"decision":"deny","reason":"I do not know `+r.Header.Get("Authorization")+` nor `+r.Header.Get("X-Key")+`, team `+r.Header.Get("X-Team")+`"}`)(w, r)
	})
	ca := filepath.Join(t.TempDir(), "ca")
	require.NoError(t, os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	settings := settingsWithCA(ca)
	settings.URL, settings.AllowAddresses = s.URL, []string{"127.0.0.0/8"}
	settings.Headers = map[string]string{"Authorization": "Bearer ${SECRET}", "X-Key": "${SECRET}-x", "X-Team": "payments"}
	c, err := webhook.Open(t.Context(), "tools.verifier.webhook", settings, webhook.Environment{Getenv: func(string) string { return "hunter2-hunter2" }, Now: time.Now})
	require.NoError(t, err)
	defer c.Close()
	got := c.Ask(t.Context(), asked())
	assert.Equal(t, gavel.VerifierDenied, got.Outcome)
	assert.NotContains(t, got.Detail, "hunter2")
	assert.Contains(t, got.Detail, "I do not know Bearer [REDACTED] nor [REDACTED]")
	assert.Contains(t, got.Detail, "team payments")
}

func settingsWithCA(path string) gavel.WebhookSettings {
	s := gavel.WebhookSettings{URL: "https://v.example"}
	s.TLS.CA = path
	return s
}
