package outgoing

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"syscall"
	"time"
)

const (
	connectTime = 10 * time.Second // to connect, and as long again for TLS
	idleTime    = 30 * time.Second // until a connection that nobody uses is closed
	maxHeader   = 16 << 10         // bytes of the header of an answer
)

// ClientConfig is what the clients differ in. The zero value is usable.
type ClientConfig struct {
	// Permit is asked about each address before it is dialled, after its name was looked up.
	// Nil permits all.
	Permit func(address string) error
	TLS    *tls.Config // authorities and certificates; nil takes those of the system
	// Idle is how many connections to one server are kept for the next request; 0 keeps none.
	Idle    int
	Timeout time.Duration // of one request; 0 leaves it to the request's context
}

// NewClient returns a client that uses no proxy of the environment, follows no redirect, speaks
// TLS 1.2 or later, and takes answers as they are: not compressed, with small headers.
func NewClient(cfg ClientConfig) *http.Client {
	dialer := &net.Dialer{Timeout: connectTime}
	if cfg.Permit != nil {
		dialer.Control = func(_, address string, _ syscall.RawConn) error { return cfg.Permit(address) }
	}
	secure := &tls.Config{}
	if cfg.TLS != nil {
		secure = cfg.TLS.Clone()
	}
	secure.MinVersion = tls.VersionTLS12
	return &http.Client{
		Timeout: cfg.Timeout,
		Transport: &http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: secure, TLSHandshakeTimeout: connectTime, ForceAttemptHTTP2: true,
			DisableKeepAlives: cfg.Idle == 0, MaxIdleConnsPerHost: cfg.Idle, IdleConnTimeout: idleTime,
			DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// Pause waits for a time, or until ctx ends.
func Pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
