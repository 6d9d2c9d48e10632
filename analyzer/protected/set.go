package protected

import (
	"net"
	"net/netip"
	"net/url"
	"path"
	"strings"

	"gavel/analyzer/host"
	"gavel/analyzer/web"
)

// Set is the protected places of a call: those of a catalog, and those that Gavel reports about
// itself. It is immutable.
type Set struct {
	*Catalog
	of    Self // what the set was built from
	home  string
	files []own
	ports map[string]bool // the ports that Gavel listens on
	open  bool            // Gavel listens on all addresses of the machine
}

type own struct {
	path, kind string
	lower      string // the path in lower case
	shared     bool
}

func newOwn(path, kind string, shared bool) own {
	return own{path: path, kind: kind, lower: strings.ToLower(path), shared: shared}
}

// has reports whether a path in a shared directory has one of Gavel's names.
func (f own) has(full string) bool {
	if !f.shared {
		return true
	}
	name := strings.ToLower(path.Base(full))
	if f.kind == kindPolicy {
		switch path.Ext(name) {
		case ".rego", ".yaml", ".yml", ".json", ".json5", ".manifest":
			return true
		}
		return false
	}
	below := strings.TrimPrefix(strings.TrimPrefix(full, f.path), "/")
	first, _, _ := strings.Cut(below, "/")
	return first == "tokens" || first == "keys" || first == "webhooks" || first == "nodes" ||
		strings.HasSuffix(name, ".token") || strings.HasSuffix(name, ".sock") || strings.HasSuffix(name, ".db") || strings.HasPrefix(name, "decisions.jsonl")
}

// defaultState is the default state directory, below the home directory.
const defaultState = ".local/state/gavel"

// NewSet returns the protected places: the ones that Gavel reports about itself, and the ones of a
// catalog. home is the home directory of the call, or "".
func NewSet(self Self, home string, tables *Catalog) *Set {
	s := &Set{Catalog: tables, of: self.clone(), home: home, ports: map[string]bool{}}
	if home != "" && home != "/" {
		s.files = append(s.files, newOwn(path.Join(home, defaultState), kindState, false))
	}
	for _, file := range self.Files {
		if !path.IsAbs(file.Path) || path.Clean(file.Path) == "/" {
			continue
		}
		s.files = append(s.files, newOwn(path.Clean(file.Path), file.kind(), file.Shared))
	}
	for _, address := range self.Addresses {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			continue
		}
		ip, err := netip.ParseAddr(host)
		s.ports[port] = true
		s.open = s.open || err != nil || !ip.IsLoopback()
	}
	return s
}

// Holds reports whether the set was built from the same values, for the same home directory.
func (s *Set) Holds(self Self, home string) bool { return s.home == home && s.of.same(self) }

// At returns the kind of protected place that an absolute, clean path is or is inside. holds is
// true if the path is instead a directory that contains one.
func (s *Set) At(full string, folds bool) (kind string, holds bool) {
	kind, holds = s.Place(full)
	if kind != "" && !holds {
		return kind, false
	}
	if folds {
		full = strings.ToLower(full)
	}
	for _, file := range s.files {
		own := file.path
		if folds {
			own = file.lower
		}
		switch {
		case host.Within(full, own):
			if file.has(full) {
				return file.kind, false
			}
		case !file.shared && host.Within(own, full) && (kind == "" || file.kind == kindState):
			kind, holds = file.kind, true
		}
	}
	return kind, holds
}

// Below reports whether a name in a directory that begins like this may be, or contain, one of
// Gavel's own files. A glob without a literal beginning (wild) matches no hidden file. number
// says that a digit follows.
func (s *Set) Below(dir, begins string, wild, number bool) bool {
	for _, file := range s.files {
		name, ok := strings.CutPrefix(file.path, strings.TrimSuffix(dir, "/")+"/")
		hidden := wild && begins == "" && strings.HasPrefix(name, ".")
		rest, fits := strings.CutPrefix(name, begins)
		if ok && fits && !hidden && (!number || rest != "" && '0' <= rest[0] && rest[0] <= '9') {
			return true
		}
	}
	return false
}

// Mentions returns the first of Gavel's own places whose path is in a text, with its kind; kind
// is "" if there is none.
func (s *Set) Mentions(text string) (kind, path string) {
	if !strings.Contains(text, "/") {
		return "", ""
	}
	for _, file := range s.files {
		if file.shared {
			continue
		}
		below, ok := strings.CutPrefix(file.path, s.home+"/")
		if strings.Contains(text, file.path) || ok && s.home != "" && strings.Count(below, "/") > 1 && strings.Contains(text, "/"+below) {
			return file.kind, file.path
		}
	}
	if strings.Contains(text, defaultState) {
		return kindState, defaultState
	}
	return "", ""
}

// Connects returns the kind of protected address among some words: Gavel's own, if one word names
// this machine and one its port, or an address that hands out credentials. A name without a dot
// (metadata) counts in a URL, and elsewhere only if names is true.
func (s *Set) Connects(words []string, names bool) (kind, address string) {
	local, port := "", ""
	for _, word := range words {
		if u, err := url.Parse(word); err == nil && u.Host != "" {
			switch host := strings.ToLower(u.Hostname()); {
			case s.metadata[host], s.metadata[canonical(host)]:
				return kindMetadata, host
			case u.Port() == "" && s.here(host) && s.ports[web.StandardPort(strings.ToLower(u.Scheme))]:
				return kindAddress, host
			}
		}
		for _, token := range tokens(word) {
			switch {
			case s.metadata[canonical(token)] && (names || strings.ContainsAny(canonical(token), ".:") || strings.Contains(strings.ToLower(word), "//"+token)):
				return kindMetadata, token
			case s.ports[strings.TrimLeft(token, "0")]:
				port = token
			case s.here(token):
				local = token
			}
		}
		if strings.Contains(word, "::") {
			switch lower := strings.ToLower(word); {
			case strings.Contains(lower, "fd00:ec2::254"):
				return kindMetadata, "fd00:ec2::254"
			case strings.Contains(word, "::1"), strings.Contains(word, "[::"), strings.HasPrefix(word, "::"):
				local = "::1"
			}
		}
	}
	if port != "" && (local != "" || s.open) {
		return kindAddress, local + ":" + port
	}
	return "", ""
}

// tokens are the names and numbers in a text, in lower case, without a trailing dot.
func tokens(text string) []string {
	list := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !(r == '.' || r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || r > 0x7f)
	})
	for i := range list {
		list[i] = strings.Trim(list[i], ".-")
	}
	return list
}

// here reports whether a name or an address means this machine.
func (s *Set) here(token string) bool {
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

// canonical writes an IPv4 address in its usual form. inet_aton also accepts fewer than four
// numbers, and octal and hexadecimal ones. Any other text is left unchanged. A single number
// counts as an address only if it is too large to be anything else.
func canonical(token string) string {
	parts := strings.Split(token, ".")
	ip, ok := web.IPv4(parts)
	if !ok || len(parts) == 1 && ip.As4()[0] == 0 && token != "0x0" {
		return token
	}
	return ip.String()
}
