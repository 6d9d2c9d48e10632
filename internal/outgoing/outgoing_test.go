package outgoing_test

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/outgoing"
)

const (
	id   = "3f0c8a7e-7d54-4c3e-9f53-0a6a6f1d9b11"
	body = `{"version":1,"timestamp":"2026-03-01T09:00:00Z","requestId":"3f0c8a7e-7d54-4c3e-9f53-0a6a6f1d9b11","tool":{"name":"exec","params":{"command":"git push origin main","workdir":"/srv/app"}},"context":{"agentId":"build","sessionKey":"agent:build:s1","messageProvider":"cli"}}`
)

func key(t *testing.T, secret string) outgoing.Key {
	t.Helper()
	k, err := outgoing.ParseKey(secret)
	require.NoError(t, err)
	return k
}

func signed(t *testing.T, secrets ...string) http.Header {
	t.Helper()
	var keys []outgoing.Key
	for _, secret := range secrets {
		keys = append(keys, key(t, secret))
	}
	header := http.Header{}
	outgoing.Sign(header, keys, id, time.Unix(1772355600, 0), []byte(body))
	return header
}

func TestSignaturesMatchThePublishedExample(t *testing.T) {
	t.Parallel()
	header := signed(t, "verifier-secret")
	assert.Equal(t, "7b6944b904609400b15221b0d6a3c28003a74980a475f2968712e40677793f68", header.Get("X-OpenClaw-Signature"))
	assert.Equal(t, "1772355600", header.Get("webhook-timestamp"))
	assert.Equal(t, "v1,iY1uzcZfmE7xfqbUUGOWD7RvGbHbPCX07CkRyIxglRg=", header.Get("webhook-signature"))
	answer := http.Header{}
	outgoing.SignAnswer(answer, key(t, "verifier-secret"), id, time.Unix(1772355600, 0), []byte(`{"decision":"allow","requestId":"`+id+`"}`))
	assert.Equal(t, "v1,ajfYwyYjdGsLcOsyK4uPLE111eCvr2MgmlvU3VjRIf0=", answer.Get("webhook-signature"))
}

func TestAStandardWebhooksSecretIsDecodedForItsOwnHeadersOnly(t *testing.T) {
	t.Parallel()
	plain, encoded := signed(t, "verifier-secret"), signed(t, "whsec_dmVyaWZpZXItc2VjcmV0")
	assert.Equal(t, plain.Get("webhook-signature"), encoded.Get("webhook-signature"))
	assert.NotEqual(t, plain.Get("X-OpenClaw-Signature"), encoded.Get("X-OpenClaw-Signature"))
	for _, wrong := range []string{"whsec_", "whsec_%%%", "whsec_dmVyaWZpZXItc2VjcmV"} {
		_, err := outgoing.ParseKey(wrong)
		assert.Error(t, err, wrong)
	}
}

func TestVerify(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(http.Header)
		body   string
		after  time.Duration
		secret string
		valid  bool
	}{
		"as it was sent":                    {valid: true},
		"299 seconds later":                 {after: 299 * time.Second, valid: true},
		"300 seconds later":                 {after: 300 * time.Second, valid: true},
		"301 seconds later":                 {after: 301 * time.Second},
		"299 seconds earlier":               {after: -299 * time.Second, valid: true},
		"300 seconds earlier":               {after: -300 * time.Second, valid: true},
		"301 seconds earlier":               {after: -301 * time.Second},
		"another body":                      {body: strings.Replace(body, "main", "mbin", 1)},
		"another key":                       {secret: "other"},
		"another id":                        {change: func(h http.Header) { h.Set("webhook-id", "x") }},
		"no id":                             {change: func(h http.Header) { h.Del("webhook-id") }},
		"two timestamps":                    {change: func(h http.Header) { h.Add("webhook-timestamp", "1772355600") }},
		"a timestamp with a sign":           {change: func(h http.Header) { h.Set("webhook-timestamp", "+1772355600") }},
		"no signature":                      {change: func(h http.Header) { h.Del("webhook-signature") }},
		"base64 with other bits at its end": {change: func(h http.Header) { h.Set("webhook-signature", "v1,iY1uzcZfmE7xfqbUUGOWD7RvGbHbPCX07CkRyIxglRh=") }},
		"a signature of another kind first": {change: func(h http.Header) { h.Set("webhook-signature", "v1a,AAAA "+h.Get("webhook-signature")) }, valid: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			header := signed(t, "old-secret", "verifier-secret")
			if c.change != nil {
				c.change(header)
			}
			text, secret := body, "verifier-secret"
			if c.body != "" {
				text = c.body
			}
			if c.secret != "" {
				secret = c.secret
			}
			err := outgoing.Verify(header, []outgoing.Key{key(t, secret)}, time.Unix(1772355600, 0).Add(c.after), 300*time.Second, []byte(text))
			assert.Equal(t, c.valid, err == nil, "%v", err)
		})
	}
}

func TestARequestIsNotAnAnswer(t *testing.T) {
	t.Parallel()
	header := signed(t, "verifier-secret")
	err := outgoing.VerifyAnswer(header, []outgoing.Key{key(t, "verifier-secret")}, id, time.Unix(1772355600, 0), time.Minute, []byte(body))
	assert.ErrorContains(t, err, "wrong")
}

func TestTheOtherHeaderHasOneSpelling(t *testing.T) {
	t.Parallel()
	keys := []outgoing.Key{key(t, "verifier-secret")}
	header := signed(t, "verifier-secret")
	require.NoError(t, outgoing.VerifyOpenClaw(header, keys, []byte(body)))
	sum := header.Get("X-OpenClaw-Signature")
	for _, wrong := range []string{strings.ToUpper(sum), "sha256=" + sum, sum[:62], "", strings.Replace(sum, "7", "8", 1)} {
		header.Set("X-OpenClaw-Signature", wrong)
		assert.Error(t, outgoing.VerifyOpenClaw(header, keys, []byte(body)), wrong)
	}
}

func TestLoopbackAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[::ffff:127.0.0.1]:1"} {
		assert.NoError(t, outgoing.Loopback(address), address)
	}
	for _, address := range []string{"10.0.0.1:1", "[::]:1", "0.0.0.0:1", "[fe80::1%eth0]:1", "localhost:1", "127.0.0.1", ""} {
		assert.Error(t, outgoing.Loopback(address), address)
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "fe80::1", "::ffff:10.0.0.1", "100.64.0.1", "0.0.0.0", "224.0.0.1", "fd00::1", "168.63.129.16", "100.100.100.200", "192.0.0.192", "fd00:ec2::254", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "::7f00:1", "2002:a00:1::"} {
		assert.False(t, outgoing.Public(netip.MustParseAddr(address)), address)
	}
	assert.True(t, outgoing.Public(netip.MustParseAddr("1.1.1.1")))
	assert.True(t, outgoing.Public(netip.MustParseAddr("::ffff:1.1.1.1")))
	assert.True(t, outgoing.Public(netip.MustParseAddr("2606:4700:4700::1111")))
}
