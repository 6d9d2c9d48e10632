package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel"
)

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newCertificate(t *testing.T, by *authority, template x509.Certificate) (tls.Certificate, authority) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := &template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, &template, parent, key.Public(), signer)
	require.NoError(t, err)
	cert, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, authority{cert, key}
}

// newAuthority is an authority, and the set of it alone.
func newAuthority(t *testing.T) (authority, *x509.CertPool) {
	t.Helper()
	_, ca := newCertificate(t, nil, x509.Certificate{IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign, Subject: pkix.Name{CommonName: "ca"}})
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)
	return ca, pool
}

// A connection stays open for as long as its client likes; the authority may be taken away meanwhile.
func TestACertificateIsRefusedOnceItsAuthorityIsRemoved(t *testing.T) {
	t.Parallel()
	ca, pool := newAuthority(t)
	_, others := newAuthority(t)
	own, _ := newCertificate(t, &ca, x509.Certificate{DNSNames: []string{"localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	cert, _ := newCertificate(t, &ca, x509.Certificate{DNSNames: []string{"build.example.com"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	var current atomic.Pointer[x509.CertPool]
	current.Store(pool)
	cfg := config(t)
	cfg.ClientCAs = current.Load
	cfg.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12}
	cfg.Identities = []gavel.Identities{&fakeIdentities{known: map[string]gavel.Identity{"cert:build.example.com": {Name: "gateway:build", Speaks: gavel.Trusted()}}}}
	addr, _ := tcp(t, newServer(t, cfg))
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool, ServerName: "localhost", Certificates: []tls.Certificate{cert}}}
	defer transport.CloseIdleConnections()
	reused := 0
	get := func() int {
		trace := &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) {
			if info.Reused {
				reused++
			}
		}}
		r, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, "https://"+addr+"/v1/status", nil)
		require.NoError(t, err)
		answer, err := (&http.Client{Transport: transport}).Do(r)
		require.NoError(t, err)
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, errors.Join(err, answer.Body.Close()))
		return answer.StatusCode
	}
	current.Store(nil)
	require.Equal(t, http.StatusUnauthorized, get(), "no authority can be read")
	current.Store(pool)
	require.Equal(t, http.StatusOK, get())
	require.Equal(t, http.StatusOK, get())
	both := pool.Clone()
	current.Store(both)
	require.Equal(t, http.StatusOK, get(), "the authorities have changed, and this one is still among them")
	current.Store(others)
	assert.Equal(t, http.StatusUnauthorized, get())
	assert.Equal(t, 3, reused, "all on one connection, after the one that was refused")
}

// A connection may outlive the certificate that opened it, and the authorities may become unreadable.
func TestACertificateIsRefusedOutsideItsTimeAndWithoutAuthorities(t *testing.T) {
	t.Parallel()
	ca, pool := newAuthority(t)
	cert, _ := newCertificate(t, &ca, x509.Certificate{DNSNames: []string{"build.example.com"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	leaf, err := x509.ParseCertificate(cert.Certificate[0])
	require.NoError(t, err)
	for about, c := range map[string]struct {
		now  time.Time
		pool func() *x509.CertPool
		want int
	}{
		"a valid certificate":         {time.Now(), nil, http.StatusOK},
		"one of a current authority":  {time.Now(), func() *x509.CertPool { return pool }, http.StatusOK},
		"after its time":              {leaf.NotAfter.Add(time.Second), nil, http.StatusUnauthorized},
		"before its time":             {leaf.NotBefore.Add(-time.Second), nil, http.StatusUnauthorized},
		"no authority can be read":    {time.Now(), func() *x509.CertPool { return nil }, http.StatusUnauthorized},
		"it has no verified chain":    {time.Now(), nil, http.StatusUnauthorized},
		"the authority has been lost": {time.Now(), x509.NewCertPool, http.StatusUnauthorized},
	} {
		cfg := config(t)
		cfg.ClientCAs, cfg.Now = c.pool, func() time.Time { return c.now }
		cfg.Identities = []gavel.Identities{&fakeIdentities{known: map[string]gavel.Identity{"cert:build.example.com": {Name: "gateway:build", Speaks: gavel.Trusted()}}}}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/v1/status", nil)
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}, VerifiedChains: [][]*x509.Certificate{{leaf, ca.cert}}}
		if about == "it has no verified chain" {
			r.TLS.VerifiedChains = nil
		}
		w := httptest.NewRecorder()
		newServer(t, cfg).Handler().ServeHTTP(w, r)
		assert.Equal(t, c.want, w.Code, about)
	}
}

func TestAClientCertificateIsACredential(t *testing.T) {
	t.Parallel()
	ca, pool := newAuthority(t)
	other, _ := newAuthority(t)
	own, _ := newCertificate(t, &ca, x509.Certificate{DNSNames: []string{"localhost"}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	client := func(by *authority, dns []string, name string) *tls.Certificate {
		cert, _ := newCertificate(t, by, x509.Certificate{DNSNames: dns, Subject: pkix.Name{CommonName: name}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
		return &cert
	}
	cfg := config(t)
	cfg.TLS = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12}
	cfg.Identities = []gavel.Identities{&fakeIdentities{known: map[string]gavel.Identity{"cert:build.example.com": {Name: "gateway:build", Speaks: gavel.Trusted()}}}}
	addr, _ := tcp(t, newServer(t, cfg))
	get := func(cert *tls.Certificate, token string) (int, error) {
		config := &tls.Config{RootCAs: pool, ServerName: "localhost"}
		if cert != nil {
			config.Certificates = []tls.Certificate{*cert}
		}
		transport := &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}
		defer transport.CloseIdleConnections()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+addr+"/v1/status", nil)
		require.NoError(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := (&http.Client{Transport: transport}).Do(r)
		if err != nil {
			return 0, err
		}
		return answer.StatusCode, answer.Body.Close()
	}
	for name, c := range map[string]struct {
		cert  *tls.Certificate
		token string
		want  int // 0: no connection
	}{
		"a certificate of a known name":         {client(&ca, []string{"build.example.com"}, ""), "", 200},
		"one that has only the common name":     {client(&ca, nil, "build.example.com"), "", 200},
		"one whose common name is not its name": {client(&ca, []string{"x.example.com"}, "build.example.com"), "", 401},
		"one of nobody's":                       {client(&ca, []string{"x.example.com"}, ""), "", 401},
		"one of another authority":              {client(&other, []string{"build.example.com"}, ""), "", 0},
		"no certificate and a token":            {nil, adminToken, 200},
		"neither":                               {nil, "", 401},
		"a good certificate and a wrong token":  {client(&ca, []string{"build.example.com"}, ""), "wrong-" + adminToken, 401},
	} {
		status, err := get(c.cert, c.token)
		if c.want == 0 {
			require.Error(t, err, name)
			continue
		}
		require.NoError(t, err, name)
		assert.Equal(t, c.want, status, name)
	}
	plain, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+addr+"/health", nil)
	require.NoError(t, err)
	answer, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(plain)
	require.NoError(t, err)
	assert.Equal(t, http.StatusBadRequest, answer.StatusCode, "nothing is served in the clear")
	require.NoError(t, answer.Body.Close())
}
