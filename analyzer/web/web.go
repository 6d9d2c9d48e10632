// Package web reads the URLs that tools are given. It observes and never judges: it says which
// host a URL names, in one spelling, or why parsers may read the text differently.
//
// URL parsers disagree about backslashes, blanks, missing slashes, several @ and encoded hosts. A
// tool behind Gavel may use any parser, so a text that they could read differently is not read at
// all.
package web

import (
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"gavel"
)

// MaxLength is the longest URL that is read, in bytes.
const MaxLength = 8192

// Reader reads URLs. It is safe for concurrent use.
type Reader struct{ names, older *idna.Profile }

// NewReader returns a reader that maps names as browsers do: UTS 46, non-transitional. It does
// not read names that the older, transitional mapping reads differently, such as those with ß.
func NewReader() *Reader {
	profile := func(transitional bool) *idna.Profile {
		return idna.New(idna.MapForLookup(), idna.Transitional(transitional), idna.BidiRule(),
			idna.CheckHyphens(false), idna.StrictDomainName(false))
	}
	return &Reader{names: profile(false), older: profile(true)}
}

// Read returns what a URL names. If Odd is set, it says why the text was not read; then the other
// members are empty, except the scheme if there is one.
func (r *Reader) Read(text string) gavel.WebURL {
	u, err := r.read(text)
	if err != nil {
		return gavel.WebURL{Scheme: u.Scheme, Odd: err.Error()}
	}
	return u
}

func (r *Reader) read(text string) (u gavel.WebURL, err error) {
	if err := plain(text); err != nil {
		return u, err
	}
	scheme, rest, found := strings.Cut(text, ":")
	if !found || !isScheme(scheme) {
		return u, errors.New("no scheme, such as https://")
	}
	u.Scheme = strings.ToLower(scheme)
	rest, found = strings.CutPrefix(rest, "//")
	if !found {
		return u, errors.New("no // after the scheme")
	}
	authority := rest
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority = rest[:i]
	}
	if i := strings.LastIndexByte(authority, '@'); i >= 0 {
		if strings.Contains(authority[:i], "@") {
			return u, errors.New("more than one @ before the path")
		}
		u.Userinfo, authority = true, authority[i+1:]
	}
	host, port, err := split(authority)
	if err != nil {
		return u, err
	}
	if u.Port, err = portOf(u.Scheme, port); err != nil {
		return u, err
	}
	u.Host, u.Address, err = r.host(host)
	return u, err
}

// plain refuses bytes that some parsers drop or replace.
func plain(text string) error {
	switch {
	case text == "":
		return errors.New("no text")
	case len(text) > MaxLength:
		return errors.New("more than " + strconv.Itoa(MaxLength) + " bytes")
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c <= ' ' || c == 0x7f:
			return errors.New("a blank or a control character")
		case c == '\\':
			return errors.New("a backslash")
		}
	}
	return nil
}

func isScheme(s string) bool {
	for i := range len(s) {
		c := s[i] | 0x20
		letter := 'a' <= c && c <= 'z'
		other := '0' <= s[i] && s[i] <= '9' || strings.IndexByte("+-.", s[i]) >= 0
		if !letter && (i == 0 || !other) {
			return false
		}
	}
	return s != ""
}

// split separates host and port. An IPv6 address keeps its brackets.
func split(authority string) (host, port string, err error) {
	if strings.HasPrefix(authority, "[") {
		end := strings.IndexByte(authority, ']')
		if end < 0 {
			return "", "", errors.New("a [ without a ]")
		}
		host, authority = authority[:end+1], authority[end+1:]
		if authority == "" {
			return host, "", nil
		}
		port, found := strings.CutPrefix(authority, ":")
		if !found {
			return "", "", errors.New("text after the ]")
		}
		return host, port, nil
	}
	host, port, _ = strings.Cut(authority, ":")
	if strings.Contains(port, ":") {
		return "", "", errors.New("more than one : in the host")
	}
	return host, port, nil
}

// portOf returns the port in decimal. Without one, it is the default port of the scheme.
func portOf(scheme, port string) (string, error) {
	if port == "" {
		return StandardPort(scheme), nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || port[0] == '+' {
		return "", errors.New("a port that is not a number up to 65535")
	}
	return strconv.FormatUint(n, 10), nil
}

// StandardPort is the port of a URL that names none, by its scheme in lower case; "" if the scheme
// has none that is known.
func StandardPort(scheme string) string {
	switch scheme {
	case "http", "ws":
		return "80"
	case "https", "wss":
		return "443"
	case "ftp":
		return "21"
	}
	return ""
}

// host returns a host in one spelling, and its address if it is one.
func (r *Reader) host(given string) (host, address string, err error) {
	if strings.HasPrefix(given, "[") {
		ip, err := netip.ParseAddr(strings.Trim(given, "[]"))
		switch {
		case err != nil || !ip.Is6():
			return "", "", errors.New("an address in brackets that is not an IPv6 address")
		case ip.Zone() != "":
			return "", "", errors.New("an IPv6 address with a zone")
		}
		text := ip.Unmap().String()
		return text, text, nil
	}
	if strings.Contains(given, "%") {
		return "", "", errors.New("a % in the host")
	}
	name, err := r.names.ToASCII(given)
	if err != nil {
		return "", "", errors.New("a host that is not a domain name")
	}
	if older, err := r.older.ToASCII(given); err != nil || older != name {
		return "", "", errors.New("a host that stands for two names")
	}
	if again, err := r.names.ToASCII(name); err != nil || again != name {
		return "", "", errors.New("a host that is not a domain name")
	}
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if err := domain(name); err != nil {
		return "", "", err
	}
	labels := strings.Split(name, ".")
	if !numeric(labels[len(labels)-1]) {
		return name, "", nil
	}
	ip, ok := IPv4(labels)
	if !ok || slices.ContainsFunc(labels, func(label string) bool { return !numeric(label) }) { // 0b1 and 0o7 are numbers to Go alone
		return "", "", errors.New("a host that ends in a number and is not an IPv4 address")
	}
	return ip.String(), ip.String(), nil
}

// domain refuses what is not a lower-case DNS name.
func domain(name string) error {
	if name == "" {
		return errors.New("no host")
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 {
			return errors.New("a host with an empty or overlong part")
		}
	}
	for i := range len(name) {
		c := name[i]
		if !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.' || c == '_') {
			return errors.New("a host with characters that names do not have")
		}
	}
	if len(name) > 253 {
		return errors.New("a host of more than 253 bytes")
	}
	return nil
}

// numeric reports whether parsers read the last label of a host as a number, and so the host as
// an address.
func numeric(label string) bool {
	if hex, found := strings.CutPrefix(label, "0x"); found {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

// IPv4 reads an address as inet_aton does: one to four numbers, each decimal, octal (with a
// leading 0) or hexadecimal (with a leading 0x); the last one fills the rest.
func IPv4(parts []string) (netip.Addr, bool) {
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 32)
		room := 8
		if i == len(parts)-1 {
			room = 8 * (5 - len(parts))
		}
		if err != nil || strings.Contains(part, "_") || n>>room != 0 {
			return netip.Addr{}, false
		}
		value |= n << (32 - 8*i - room)
	}
	return netip.AddrFrom4([4]byte{byte(value >> 24), byte(value >> 16), byte(value >> 8), byte(value)}), true
}
