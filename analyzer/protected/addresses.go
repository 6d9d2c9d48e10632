package protected

import (
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"gavel/analyzer/web"
)

// Connects returns the protected address that some words name, and its kind: an address of Gavel, if
// one word names this machine and another one the port, or an address that hands out credentials. A
// host name without a dot (metadata) counts in a URL, and elsewhere only if names is true. kind is ""
// if the words name no protected address.
func (s *Set) Connects(words []string, names bool) (kind, address string) {
	local, port := "", ""
	for _, word := range words {
		word = plainHosts(word)
		if u, err := url.Parse(word); err == nil && u.Host != "" {
			switch host := strings.ToLower(u.Hostname()); {
			case s.isMetadata(host):
				return kindMetadata, host
			case u.Port() == "" && s.isThisMachine(host) && s.ports[web.StandardPort(strings.ToLower(u.Scheme))]:
				return kindAddress, host
			}
		}
		for _, token := range tokens(word) {
			switch {
			case s.isMetadata(token) && (names || strings.ContainsAny(canonical(token), ".:") || strings.Contains(strings.ToLower(word), "//"+token)):
				return kindMetadata, token
			case s.ports[strings.TrimLeft(token, "0")]:
				port = token
			case s.isThisMachine(token):
				local = token
			}
		}
		for _, token := range addressesOf6(word) {
			switch {
			case s.isMetadata(token):
				return kindMetadata, token
			case s.isThisMachine(token):
				local = token
			}
		}
		if strings.Contains(word, "::1") || strings.Contains(word, "[::") || strings.HasPrefix(word, "::") {
			local = "::1"
		}
	}
	if port != "" && (local != "" || s.open) {
		return kindAddress, local + ":" + port
	}
	return "", ""
}

// plainHosts returns a text with the digits, letters and dots that resolvers and browsers take for
// those of ASCII, such as full-width ones, in ASCII.
func plainHosts(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return strings.ReplaceAll(norm.NFKC.String(text), "\u3002", ".")
		}
	}
	return text
}

// tokens returns the host names and numbers in a text, in lower case.
func tokens(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || r > 0x7f)
	})
	for i := range list {
		list[i] = strings.Trim(list[i], ".-")
	}
	return list
}

// addressesOf6 returns the parts of a text that may be IPv6 addresses, in lower case.
func addressesOf6(text string) []string {
	if strings.Count(text, ":") < 2 {
		return nil
	}
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r == '.' || r == ':' || '0' <= r && r <= '9' || 'a' <= r && r <= 'f')
	})
}

// isMetadata reports whether a name or an address hands out credentials. A name of a service that
// answers with the address in the name counts as that address.
func (s *Set) isMetadata(token string) bool {
	if s.metadata[token] || s.metadata[canonical(token)] {
		return true
	}
	for _, suffix := range s.answering {
		name, found := strings.CutSuffix(strings.TrimSuffix(token, "."), suffix)
		if !found {
			continue
		}
		labels := strings.Split(strings.ReplaceAll(name, "-", "."), ".")
		for i := range labels {
			if s.metadata[canonical("0x"+labels[i])] || i+4 <= len(labels) && s.metadata[canonical(strings.Join(labels[i:i+4], "."))] {
				return true
			}
		}
	}
	return false
}

// isThisMachine reports whether a name or an address means this machine.
func (s *Set) isThisMachine(token string) bool {
	if s.local[token] {
		return true
	}
	for _, suffix := range s.answering {
		if strings.HasSuffix(token, suffix) {
			return true
		}
	}
	ip, err := netip.ParseAddr(canonical(token))
	return err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// canonical returns an address in its usual form. For IPv4, inet_aton also accepts fewer than four
// numbers, and octal and hexadecimal ones. An IPv6 address that stands for an IPv4 address becomes that
// one. Any other text is left unchanged. A single number counts as an address only if it is too large
// to be anything else.
func canonical(token string) string {
	if strings.Contains(token, ":") {
		ip, err := netip.ParseAddr(token)
		if err != nil {
			return token
		}
		return inside(ip.WithZone("")).String()
	}
	parts := strings.Split(token, ".")
	ip, ok := web.IPv4(parts)
	if !ok || len(parts) == 1 && ip.As4()[0] == 0 && token != "0x0" {
		return token
	}
	return ip.String()
}

// inside returns the IPv4 address inside an IPv6 address that only carries one (RFC 4291, 6052, 8215,
// 3056, 2765 and 5214), and any other address unchanged.
func inside(ip netip.Addr) netip.Addr {
	if ip = ip.Unmap(); ip.Is4() {
		return ip
	}
	b := ip.As16()
	last := netip.AddrFrom4([4]byte(b[12:]))
	for _, network := range [...]string{"64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0:0/96"} {
		if netip.MustParsePrefix(network).Contains(ip) {
			return last
		}
	}
	switch {
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return netip.AddrFrom4([4]byte(b[2:6]))
	case netip.MustParsePrefix("::/96").Contains(ip) && b[12] != 0:
		return last
	case b[8]&^2 == 0 && b[9] == 0 && b[10] == 0x5e && b[11] == 0xfe:
		return last
	}
	return ip
}
