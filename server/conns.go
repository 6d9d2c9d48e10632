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

// WithDefaults fills in what is zero.
func (l ConnLimits) WithDefaults() ConnLimits {
	most := descriptors()
	l.TCP = orDefault(l.TCP, max(8, min(1024, most/2)))
	l.Unix = orDefault(l.Unix, max(8, min(256, most/8)))
	l.Lines = orDefault(l.Lines, max(8, min(256, most/8)))
	return l
}

// each is how many connections of a listener one credential may have.
func (l ConnLimits) each(most int) int {
	if l.Each > 0 {
		return l.Each
	}
	return max(1, most/2)
}

// counted is a listener with a limit on its connections. A new connection replaces another:
// first one without a credential, then an idle one, oldest first. So clients without
// credentials cannot lock anyone out.
type counted struct {
	net.Listener
	most, mostEach int
	mostPeer       int // of one remote address; loopback is one address for everybody, and has no such bound

	mu    sync.Mutex
	conns map[*tracked]bool
}

// tracked is one connection of a counted listener.
type tracked struct {
	net.Conn
	of         *counted
	opened     time.Time
	busy       atomic.Bool                   // a request is being answered, or a WebSocket is open
	credential atomic.Pointer[string]        // that it has shown; nil before
	trusted    atomic.Pointer[x509.CertPool] // the authorities that its certificate was last verified by
	closed     sync.Once
}

func newCounted(ln net.Listener, limits ConnLimits) *counted {
	most := limits.TCP
	if _, unix := ln.Addr().(*net.UnixAddr); unix {
		most = limits.Unix
	}
	return &counted{Listener: ln, most: most, mostEach: limits.each(most), mostPeer: max(1, most/4), conns: map[*tracked]bool{}}
}

// Accept waits for the next connection for which there is room.
func (l *counted) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if t := l.admit(conn); t != nil {
			return t, nil
		}
		_ = conn.Close() // nothing was promised
	}
}

// admit makes room for a connection, or returns nil.
func (l *counted) admit(conn net.Conn) *tracked {
	t := &tracked{Conn: conn, of: l, opened: time.Now()}
	l.mu.Lock()
	defer l.mu.Unlock()
	if peer := remoteOf(conn); peer != "" {
		if same := l.where(func(c *tracked) bool { return remoteOf(c.Conn) == peer }); len(same) >= l.mostPeer && !l.evict(same) {
			return nil
		}
	}
	if len(l.conns) >= l.most && !l.evict(l.where(func(*tracked) bool { return true })) {
		return nil
	}
	l.conns[t] = true
	return t
}

func (l *counted) where(holds func(*tracked) bool) (list []*tracked) {
	for c := range l.conns {
		if holds(c) {
			list = append(list, c)
		}
	}
	return list
}

// evict closes one of some connections: the oldest that has shown no credential and is
// not being answered, or else the oldest that is idle.
func (l *counted) evict(list []*tracked) bool {
	var chosen *tracked
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
	go chosen.Close() //nolint:errcheck // it may be gone already; closing takes the lock that is held here
	return true
}

// Close closes the connection, and makes room.
func (t *tracked) Close() error {
	t.closed.Do(func() {
		t.of.mu.Lock()
		defer t.of.mu.Unlock()
		delete(t.of.conns, t)
	})
	return t.Conn.Close()
}

// CloseWrite lets net/http end its half, so that a last answer arrives.
func (t *tracked) CloseWrite() error {
	if half, ok := t.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// shows notes the credential that a connection has shown, and refuses one that has too
// many connections already.
func (t *tracked) shows(credential string) error {
	if before := t.credential.Load(); before != nil && *before == credential {
		return nil
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	same := t.of.where(func(c *tracked) bool {
		shown := c.credential.Load()
		return c != t && shown != nil && *shown == credential
	})
	if len(same) >= t.of.mostEach && !t.of.evict(same) {
		return &apiError{Code: codeTooManyConns, Message: fmt.Sprintf("%d connections of this credential are already open", t.of.mostEach),
			Fix: "use fewer connections, and reuse them; try again after Retry-After seconds, and deny until then"}
	}
	t.credential.Store(&credential)
	return nil
}

// connKey is the context key of a tracked connection.
type connKey struct{}

// connOf is the connection of a request that came through [Server.Serve]; nil otherwise.
func connOf(r *http.Request) *tracked {
	t, _ := r.Context().Value(connKey{}).(*tracked)
	return t
}

// connState follows which connections are being answered.
func connState(conn net.Conn, state http.ConnState) {
	conn = underTLS(conn)
	if t, ok := conn.(*tracked); ok {
		t.busy.Store(state == http.StateActive || state == http.StateHijacked)
	}
}

// tracking puts a tracked connection into the context of its requests.
func tracking(ctx context.Context, conn net.Conn) (context.Context, net.Conn) {
	conn = underTLS(conn)
	if t, ok := conn.(*tracked); ok {
		return context.WithValue(ctx, connKey{}, t), t.Conn
	}
	return ctx, conn
}

// remoteOf is the address of a peer on another machine; "" on this one.
func remoteOf(conn net.Conn) string {
	addr, ok := conn.RemoteAddr().(*net.TCPAddr)
	if !ok || addr.IP.IsLoopback() {
		return ""
	}
	return addr.IP.String()
}

// underTLS is the connection that TLS runs over, or the connection itself.
func underTLS(conn net.Conn) net.Conn {
	if over, ok := conn.(*tls.Conn); ok {
		return over.NetConn()
	}
	return conn
}
