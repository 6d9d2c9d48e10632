package server

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// peerKey is the context key of a connection's peer.
type peerKey struct{}

// peer is what the kernel reports about the other end of a connection. The zero value is a TCP peer,
// about which it reports nothing.
type peer struct {
	unix    bool
	uid     uint32
	refused string // why a unix peer may not talk to us; "" when it may
}

// connContext adds the peer of a connection to the context of its requests. It is called once for
// each connection, before its first request.
func (s *Server) connContext(ctx context.Context, conn net.Conn) context.Context {
	ctx, conn = withConn(ctx, conn)
	unixConn, ok := conn.(*net.UnixConn)
	if !ok {
		return ctx
	}
	p := peer{unix: true}
	uid, err := peerUID(unixConn)
	switch {
	case err != nil:
		p.refused = "the system does not report the peer's user: " + err.Error()
	case uid != s.cfg.UID:
		p.refused = fmt.Sprintf("user %d may not use this socket", uid)
	default:
		p.uid = uid
	}
	return context.WithValue(ctx, peerKey{}, p)
}

// peerUID returns the user that connected, as the kernel recorded it.
func peerUID(conn *net.UnixConn) (uid uint32, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, fmt.Errorf("read peer credentials: %w", err)
	}
	var unknown error
	err = raw.Control(func(fd uintptr) { uid, unknown = socketUID(int(fd)) })
	if err = errors.Join(err, unknown); err != nil {
		return 0, fmt.Errorf("read peer credentials: %w", err)
	}
	return uid, nil
}

// peerOf returns the peer of a request's connection.
func peerOf(r *http.Request) peer {
	p, _ := r.Context().Value(peerKey{}).(peer)
	return p
}

// checkOrigin refuses requests of another user on the unix socket, and those that a web page made a
// browser send: they have an Origin header or, after DNS rebinding, the page's own name as Host.
func checkOrigin(r *http.Request) error {
	if len(r.Header["Origin"]) > 0 {
		return &apiError{Code: codeOriginRefused, Message: "requests from web pages are refused",
			Fix: "send no Origin header"}
	}
	p := peerOf(r)
	switch {
	case p.refused != "":
		return &apiError{Code: codePeerRefused, Message: p.refused, Fix: "connect as the user that runs Gavel"}
	case p.unix || remoteListener(r) || loopbackHost(r.Host):
		return nil
	}
	return &apiError{Code: codeHostRefused, Message: "the Host header does not name this machine",
		Fix: "use 127.0.0.1, [::1] or localhost in the URL"}
}

// remoteListener reports whether the request came in on an address beyond loopback.
func remoteListener(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && !addr.IP.IsLoopback()
}

// loopbackHost reports whether a Host header names this machine.
func loopbackHost(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	if ap, err := netip.ParseAddrPort(host); err == nil {
		return ap.Addr().IsLoopback()
	}
	if name, _, err := net.SplitHostPort(host); err == nil {
		return strings.EqualFold(name, "localhost")
	}
	if len(host) > 2 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
