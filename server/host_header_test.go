package server_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestHostHeadersThatNameThisMachineAreAccepted(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	for _, host := range []string{"localhost", "LocalHost:1", "127.0.0.1", "127.0.0.1:8181", "[::1]", "[::1]:8181", "127.1.2.3:1"} {
		q := get("/health", "")
		q.host = host
		assert.Equal(t, http.StatusOK, q.do(s).Code, host)
	}
}

func TestRemoteListenersAcceptAnyHostHeader(t *testing.T) {
	t.Parallel()
	s := newServer(t, config(t))
	for local, want := range map[string]int{"192.0.2.1": http.StatusOK, "127.0.0.1": http.StatusForbidden} {
		r := httptest.NewRequest(http.MethodGet, "/health", nil)
		r.Host = "gavel.example"
		addr := &net.TCPAddr{IP: net.ParseIP(local), Port: 8181}
		w := httptest.NewRecorder()
		s.Handler().ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, addr)))
		assert.Equal(t, want, w.Code, "a connection to %s", local)
	}
}
