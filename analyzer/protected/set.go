package protected

import (
	"net"
	"net/netip"
	"path"
	"strings"

	"gavel/analyzer/host"
)

// Set has what is protected in a call: the patterns of a catalog, and Gavel's own files and addresses.
// It is immutable.
type Set struct {
	*Catalog
	builtFrom Self // what the set was built from
	home      string
	files     []ownFile
	ports     map[string]bool // the ports that Gavel listens on
	open      bool            // Gavel listens on all addresses of the machine
}

// ownFile is one of Gavel's own files or directories.
type ownFile struct {
	path, kind string
	lower      string // the path in lower case
	shared     bool
}

func newOwnFile(path, kind string, shared bool) ownFile {
	return ownFile{path: path, kind: kind, lower: strings.ToLower(path), shared: shared}
}

// isGavels reports whether a path at or below an own file belongs to Gavel. In a shared directory, only files
// with certain names do.
func (f ownFile) isGavels(full string) bool {
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

// NewSet combines Gavel's own files and addresses with a catalog. home is the home directory of the
// call, or "".
func NewSet(self Self, home string, tables *Catalog) *Set {
	s := &Set{Catalog: tables, builtFrom: self.clone(), home: home, ports: map[string]bool{}}
	if home != "" && home != "/" {
		s.files = append(s.files, newOwnFile(path.Join(home, defaultState), kindState, false))
	}
	for _, file := range self.Files {
		if !path.IsAbs(file.Path) || path.Clean(file.Path) == "/" {
			continue
		}
		s.files = append(s.files, newOwnFile(path.Clean(file.Path), file.kind(), file.Shared))
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

// BuiltFor reports whether the set was built from these values, for this home directory.
func (s *Set) BuiltFor(self Self, home string) bool { return s.home == home && s.builtFrom.same(self) }

// KindAt returns the kind of the protected path that an absolute, clean path is or is inside. If the path is
// instead a directory that may contain a protected path, holds is true. If folds is true, case does
// not matter.
func (s *Set) KindAt(full string, folds bool) (kind string, holds bool) {
	kind, holds = s.MatchPath(full)
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
			if file.isGavels(full) {
				return file.kind, false
			}
		case !file.shared && host.Within(own, full) && (kind == "" || file.kind == kindState):
			kind, holds = file.kind, true
		}
	}
	return kind, holds
}

// KindBehindProcess is like KindAt for a path that leads through a link of /proc to a directory of a
// process. What follows the link may be in any directory, unless it is the root of the process. real
// is the protected path.
func (s *Set) KindBehindProcess(full string, folds bool) (kind, real string) {
	rest, rooted, ok := host.BehindProcess(full)
	switch {
	case !ok:
		return "", ""
	case rooted:
		if _, _, again := host.BehindProcess(rest); again {
			return s.KindBehindProcess(rest, folds)
		}
		kind, _ = s.KindAt(rest, folds)
		return kind, rest
	}
	for _, file := range s.files {
		for from := strings.LastIndexByte(file.path, '/'); from >= 0; from = strings.LastIndexByte(file.path[:from], '/') {
			if below := file.path[from:]; host.Within(rest, below) && file.isGavels(file.path+rest[len(below):]) {
				return file.kind, file.path + rest[len(below):]
			}
		}
	}
	if newOwnFile("/", kindState, true).isGavels(rest) { // the directory may be the state itself
		return kindState, rest
	}
	return "", ""
}

// MayHoldOwnFile reports whether a name in dir that begins with this text may be, or contain, one of Gavel's
// own files. wild is true if a glob follows, which matches no hidden file if begins is "". number is
// true if a digit follows.
func (s *Set) MayHoldOwnFile(dir, begins string, wild, number bool) bool {
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

// Mentions returns the first of Gavel's own paths that occurs in a text, and its kind; kind is "" if
// none does.
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
