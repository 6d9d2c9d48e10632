package outgoing_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gavel/internal/outgoing"
)

func get(t *testing.T, client *http.Client, url string) (*http.Response, string, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	answer, err := client.Do(request)
	if err != nil {
		return nil, "", err
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	text, err := io.ReadAll(answer.Body)
	return answer, string(text), err
}

func TestAClientFollowsNoRedirectAndAsksForNoCompression(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://192.0.2.1:1")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/large" {
			w.Header().Set("X-Large", strings.Repeat("x", 20<<10))
		}
		assert.Empty(t, r.Header.Get("Accept-Encoding"), "compressed answers are not asked for")
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	}))
	defer server.Close()
	client := outgoing.NewClient(outgoing.ClientConfig{})
	answer, _, err := get(t, client, server.URL)
	require.NoError(t, err)
	assert.Equal(t, http.StatusFound, answer.StatusCode)
	_, _, err = get(t, client, server.URL+"/large")
	require.ErrorContains(t, err, "header")
}

func TestAClientDialsOnlyWhatIsPermitted(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	refuse := errors.New("not this one")
	var dialled []string
	client := outgoing.NewClient(outgoing.ClientConfig{Permit: func(address string) error { dialled = append(dialled, address); return refuse }})
	_, _, err := get(t, client, server.URL)
	require.ErrorIs(t, err, refuse)
	assert.Equal(t, []string{server.Listener.Addr().String()}, dialled)
}

func TestAClientNeverSpeaksAnOldTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS = &tls.Config{MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11} //nolint:gosec // it must be refused
	server.Config.ErrorLog = nil
	server.StartTLS()
	defer server.Close()
	given := server.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	given.MinVersion = tls.VersionTLS10
	_, _, err := get(t, outgoing.NewClient(outgoing.ClientConfig{TLS: given}), server.URL)
	require.ErrorContains(t, err, "protocol version")
	assert.EqualValues(t, tls.VersionTLS10, given.MinVersion, "what was given is not changed")
}

func TestAPauseEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	outgoing.Pause(ctx, 24*time.Hour)
	outgoing.Pause(t.Context(), 0)
}
