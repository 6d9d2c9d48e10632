package webhook_test

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
	"gavel/verifiers/webhook"
)

func TestFailedConnectionsHaveACode(t *testing.T) {
	s := serve(t, answering(`{"decision":"allow"}`))
	gone := serve(t, answering(`{}`))
	for name, c := range map[string]struct {
		change   func(*webhook.Config)
		detail   string
		attempts int
	}{
		"an address that is not permitted": {func(cfg *webhook.Config) { cfg.Networks = nil }, "the address 127.0.0.1 is not public", 1},
		"a name that leads to one": {func(cfg *webhook.Config) {
			cfg.URL, cfg.Networks = strings.Replace(cfg.URL, "127.0.0.1", "localhost", 1), nil
		}, "is not public", 1},
		"an authority that is not known": {func(cfg *webhook.Config) { cfg.CA = nil }, "authority that is not known", 1},
		"a certificate for another name": {func(cfg *webhook.Config) {
			cfg.URL = strings.Replace(cfg.URL, "127.0.0.1", "localhost", 1)
			cfg.Networks = append(cfg.Networks, "::1/128")
		}, "certificate is for another name", 1},
		"nothing listens": {func(cfg *webhook.Config) { gone.Close(); cfg.URL = gone.URL }, "nothing listens at its address", 5},
	} {
		t.Run(name, func(t *testing.T) {
			got := s.client(t, c.change).Ask(t.Context(), asked())
			assert.Equal(t, gavel.VerifierUnreachable, got.Outcome)
			assert.Contains(t, got.Detail, c.detail)
			assert.Equal(t, c.attempts, got.Attempts)
			assert.NotContains(t, got.Detail, "/verify", "an error never has the URL")
		})
	}
	assert.Empty(t, s.bodies)
}

func TestTheEnvironmentsProxyIsNotUsed(t *testing.T) {
	t.Setenv("HTTPS_PROXY", "http://192.0.2.1:1")
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:1")
	s := serve(t, answering(`{"decision":"allow"}`))
	assert.Equal(t, gavel.VerifierAllowed, s.client(t, nil).Ask(t.Context(), asked()).Outcome)
}

func TestOldVersionsOfTLSAreRefused(t *testing.T) {
	s := &server{}
	s.Server = httptest.NewUnstartedServer(answering(`{"decision":"allow"}`))
	s.TLS = &tls.Config{MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10} //nolint:gosec // it must be refused
	s.Config.ErrorLog = nil
	s.StartTLS()
	defer s.Close()
	assert.Equal(t, gavel.VerifierUnreachable, s.client(t, nil).Ask(t.Context(), asked()).Outcome)
}

func TestAClientCertificateIsPresented(t *testing.T) {
	s := &server{}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.TLS.PeerCertificates) == 1 {
			answering(`{"decision":"allow"}`)(w, r)
		}
	}))
	s.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	s.StartTLS()
	defer s.Close()
	c := s.client(t, func(cfg *webhook.Config) { cfg.Certificate = &s.TLS.Certificates[0] })
	assert.Equal(t, gavel.VerifierAllowed, c.Ask(t.Context(), asked()).Outcome)
	assert.Equal(t, gavel.VerifierUnreachable, s.client(t, nil).Ask(t.Context(), asked()).Outcome)
}

func TestHTTPIsForLoopbackOnly(t *testing.T) {
	s := httptest.NewServer(answering(`{"decision":"allow"}`))
	defer s.Close()
	_, err := webhook.New(webhook.Config{URL: s.URL, Now: time.Now})
	require.Error(t, err)
	c, err := webhook.New(webhook.Config{URL: s.URL, Now: time.Now, AllowHTTP: true})
	require.NoError(t, err)
	defer c.Close()
	assert.Equal(t, gavel.VerifierAllowed, c.Ask(t.Context(), asked()).Outcome)
	away, err := webhook.New(webhook.Config{URL: "http://192.0.2.1:9/x", Now: time.Now, AllowHTTP: true, Networks: []string{"192.0.2.0/24"}})
	require.NoError(t, err)
	assert.Contains(t, away.Ask(t.Context(), asked()).Detail, "http is for addresses of this machine")
}
