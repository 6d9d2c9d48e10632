package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"syscall"

	"gavel/internal/outgoing"
)

// dialGuard checks every address before it is dialled, after the name was resolved.
type dialGuard struct {
	networks     []netip.Prefix // private ones that may be dialled
	loopbackOnly bool           // the URL is http
}

// errAddress is the error for an address that may not be dialled.
type errAddress struct{ text string }

func (e *errAddress) Error() string { return e.text }

func (g *dialGuard) check(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return &errAddress{"the address cannot be read"}
	}
	if g.loopbackOnly {
		if err := outgoing.Loopback(address); err != nil {
			return &errAddress{err.Error()}
		}
		return nil
	}
	ip := at.Addr().Unmap().WithZone("")
	switch {
	case outgoing.Public(ip), slices.ContainsFunc(g.networks, func(p netip.Prefix) bool { return p.Contains(ip) }):
		return nil
	}
	return &errAddress{fmt.Sprintf("the address %s is not public; name its network in allowAddresses to permit it", ip)}
}

func parseNetworks(list []string) ([]netip.Prefix, error) {
	networks := make([]netip.Prefix, 0, len(list))
	for _, text := range list {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("allowAddresses: %q is not a network, such as 10.20.0.0/16", text)
		}
		networks = append(networks, network.Masked())
	}
	return networks, nil
}

// connectionEnded reports whether a transport error means that the connection ended.
func connectionEnded(err error) bool {
	var ofNetwork net.Error
	return errors.As(err, &ofNetwork) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// describeDialError describes a transport error to people. final means that a retry would fail the
// same way.
func describeDialError(err error) (detail string, final bool) {
	var address *errAddress
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var record tls.RecordHeaderError
	var lookup *net.DNSError
	switch {
	case errors.As(err, &address):
		return address.text, true
	case errors.As(err, &unknown):
		return "its certificate comes from an authority that is not known here", true
	case errors.As(err, &name):
		return "its certificate is for another name", true
	case errors.As(err, &invalid):
		return "its certificate is not valid: " + invalid.Error(), true
	case errors.As(err, &alert):
		return "it refused the TLS connection: " + alert.Error(), true
	case errors.As(err, &record):
		return "it does not speak TLS", true
	case errors.As(err, &lookup):
		return "its name cannot be looked up", !lookup.IsTemporary && !lookup.IsTimeout
	case errors.Is(err, syscall.ECONNREFUSED):
		return "nothing listens at its address", false
	case errors.Is(err, syscall.ECONNRESET):
		return "the connection was reset", false
	case errors.Is(err, context.DeadlineExceeded):
		return "the connection took too long", false
	}
	return "the connection failed", false
}
