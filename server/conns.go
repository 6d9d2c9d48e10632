package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// ConnLimits limits connections, each of which needs a descriptor. A zero field gets a share
// of the process's descriptors, which leaves some for files.
type ConnLimits struct {
	TCP   int // over TCP; half of the descriptors, 1,024 at most
	Unix  int // over the unix socket, which has its own so that TCP cannot take them; an eighth, 256 at most
	Each  int // of one credential on one listener; half of the listener's
	Lines int // of the operators' socket; an eighth, 256 at most
}

// WithDefaults returns the limits with zero fields replaced by their defaults.
func (l ConnLimits) WithDefaults() ConnLimits {
	most := descriptors()
	l.TCP = orDefault(l.TCP, max(8, min(1024, most/2)))
	l.Unix = orDefault(l.Unix, max(8, min(256, most/8)))
	l.Lines = orDefault(l.Lines, max(8, min(256, most/8)))
	return l
}

// each returns how many connections one credential may have on a listener with at most most.
func (l ConnLimits) each(most int) int {
	if l.Each > 0 {
		return l.Each
	}
	return max(1, most/2)
}

// limitedListener is a listener that limits its connections. At the limit, a new connection replaces
// an old one: first one without a credential, then an idle one, oldest first. Clients without
// credentials thus cannot lock anyone out.
type limitedListener struct {
	net.Listener
	maxConns, maxPerCredential int
	maxPerPeer                 int // of one remote address; loopback is one address for everybody, and has no such bound

	mu    sync.Mutex
	conns map[*limitedConn]bool
}

// limitedConn is one connection of a limitedListener.
type limitedConn struct {
	net.Conn
	listener   *limitedListener
	opened     time.Time
	busy       atomic.Bool                   // a request is being answered, or a WebSocket is open
	credential atomic.Pointer[string]        // the one that its last request had; nil before
	trusted    atomic.Pointer[x509.CertPool] // the authorities that last verified its certificate
	closed     sync.Once
}

func newLimitedListener(ln net.Listener, limits ConnLimits) *limitedListener {
	most := limits.TCP
	if _, unix := ln.Addr().(*net.UnixAddr); unix {
		most = limits.Unix
	}
	return &limitedListener{Listener: ln, maxConns: most, maxPerCredential: limits.each(most), maxPerPeer: max(1, most/4), conns: map[*limitedConn]bool{}}
}

// Accept waits for the next connection for which there is room.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t := l.admit(conn); t != nil {
			return t, nil
		}
		_ = conn.Close() // there is no room
	}
}

// admit makes room for a connection, or returns nil.
func (l *limitedListener) admit(conn net.Conn) *limitedConn {
	t := &limitedConn{Conn: conn, listener: l, opened: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if peer := remoteOf(conn); peer != "" {
		if same := l.filter(func(c *limitedConn) bool { return remoteOf(c.Conn) == peer }); len(same) >= l.maxPerPeer && !l.evict(same) {
			return nil
		}
	}
	if len(l.conns) >= l.maxConns && !l.evict(l.filter(func(*limitedConn) bool { return true })) {
		return nil
	}
	l.conns[t] = true
	return t
}

func (l *limitedListener) filter(holds func(*limitedConn) bool) (list []*limitedConn) {
	for c := range l.conns {
		if holds(c) {
			list = append(list, c)
		}
	}
	return list
}

// evict closes one connection of a list, and reports whether it found one to close: the oldest idle
// one without a credential, or else the oldest idle one.
func (l *limitedListener) evict(list []*limitedConn) bool {
	var chosen *limitedConn
	for _, c := range list {
		if c.busy.Load() {
			continue
		}
		known, best := c.credential.Load() != nil, chosen != nil && chosen.credential.Load() != nil
		if chosen == nil || best && !known || best == known && c.opened.Before(chosen.opened) {
			chosen = c
		}
	}
	if chosen == nil {
		return false
	}
	delete(l.conns, chosen)
	go chosen.Close() //nolint:errcheck // it may be gone already; in a goroutine, because Close takes the lock
	return true
}

// Close closes the connection, and makes room.
func (t *limitedConn) Close() error {
	t.closed.Do(func() {
		t.listener.mu.Lock()
		defer t.listener.mu.Unlock()
		delete(t.listener.conns, t)
	})
	return t.Conn.Close()
}

// CloseWrite closes the sending half, as net/http does so that the last answer arrives.
func (t *limitedConn) CloseWrite() error {
	if half, ok := t.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// setCredential stores the credential of a connection's request. It returns an error if the
// credential has too many connections already.
func (t *limitedConn) setCredential(credential string) error {
	if before := t.credential.Load(); before != nil && *before == credential {
		return nil
	}
	t.listener.mu.Lock()
	defer t.listener.mu.Unlock()
	same := t.listener.filter(func(c *limitedConn) bool {
		shown := c.credential.Load()
		return c != t && shown != nil && *shown == credential
	})
	if len(same) >= t.listener.maxPerCredential && !t.listener.evict(same) {
		return &apiError{Code: codeTooManyConns, Message: fmt.Sprintf("%d connections of this credential are already open", t.listener.maxPerCredential),
			Fix: "use fewer connections, and reuse them; try again after Retry-After seconds, and deny until then"}
	}
	t.credential.Store(&credential)
	return nil
}

// connKey is the context key of a tracked connection.
type connKey struct{}

// connOf returns the connection of a request that came through [Server.Serve], or nil.
func connOf(r *http.Request) *limitedConn {
	t, _ := r.Context().Value(connKey{}).(*limitedConn)
	return t
}

// connState records which connections are busy.
func connState(conn net.Conn, state http.ConnState) {
	conn = withoutTLS(conn)
	if t, ok := conn.(*limitedConn); ok {
		t.busy.Store(state == http.StateActive || state == http.StateHijacked)
	}
}

// withConn adds a connection to the context of its requests, and returns the connection underneath.
func withConn(ctx context.Context, conn net.Conn) (context.Context, net.Conn) {
	conn = withoutTLS(conn)
	if t, ok := conn.(*limitedConn); ok {
		return context.WithValue(ctx, connKey{}, t), t.Conn
	}
	return ctx, conn
}

// remoteOf returns the IP address of a peer, or "" for a peer on this machine.
func remoteOf(conn net.Conn) string {
	addr, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || addr.IP.IsLoopback() {
		return ""
	}
	return addr.IP.String()
}

// withoutTLS returns the connection underneath TLS, or the connection itself.
func withoutTLS(conn net.Conn) net.Conn {
	if over, ok := conn.(*tls.Conn); ok {
		return over.NetConn()
	}
	return conn
}
