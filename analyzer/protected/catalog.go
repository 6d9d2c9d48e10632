package protected

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/programs"
	"gavel/analyzer/spelling"
)

// Table is rego/gavel/catalog/analysis/protected.yaml.
type Table struct {
	State                 programs.Names `yaml:"state"`
	Policy                programs.Names `yaml:"policy"`
	Host                  programs.Names `yaml:"host"`
	Except                programs.Names `yaml:"except"` // exceptions to patterns of Host that end in **
	Local                 programs.Names `yaml:"local"`
	Answering             programs.Names `yaml:"answering"`
	Metadata              programs.Names `yaml:"metadata"`
	OfflineHazards        programs.Names `yaml:"offline_hazards"`
	HostParameters        programs.Names `yaml:"host_parameters"`
	PathPreservingHazards programs.Names `yaml:"path_preserving_hazards"`
}

// Catalog is a Table, prepared for lookups.
type Catalog struct {
	byFirstName     spelling.PrefixIndex[pathPattern]
	wildcards       []pathPattern // those whose first name is a wildcard pattern such as .* or *.x
	local, metadata map[string]bool
	offline         map[string]bool
	parameters      []string
	answering       []string
}

// Offline reports whether an argument with this kind of hazard connects to no host.
func (p *Catalog) Offline(kind string) bool { return p.offline[kind] }

// NamesHost reports whether a parameter of a tool may name a host.
func (p *Catalog) NamesHost(parameter string) bool {
	lower := strings.ToLower(parameter)
	return slices.ContainsFunc(p.parameters, func(name string) bool { return strings.Contains(lower, name) })
}

// pathPattern is a pattern that a protected path ends with.
type pathPattern struct {
	kind  string
	names []string
	whole bool // it must match the whole path
	// except are longer patterns, which it does not match.
	except [][]string
}

// NewCatalog builds a catalog from a table.
func NewCatalog(t Table) (p Catalog, err error) {
	p = Catalog{local: map[string]bool{}, metadata: map[string]bool{}, offline: map[string]bool{}, answering: t.Answering, parameters: t.HostParameters}
	for kind, list := range map[string]programs.Names{kindState: t.State, kindPolicy: t.Policy, kindHost: t.Host} {
		for _, text := range list {
			rest, whole := strings.CutPrefix(text, "/")
			names := strings.Split(rest, "/")
			wild := strings.ContainsAny(names[0], `*?[\`)
			if names[0] == "" || wild && (whole || !strings.Contains(names[0], ".") || names[len(names)-1] == "**") {
				return p, fmt.Errorf("protected location %q: its first name must be written out, or have a dot", text)
			}
			for _, name := range names {
				if _, err := path.Match(name, ""); err != nil {
					return p, fmt.Errorf("protected location %q: %w", text, err)
				}
			}
			if one := (pathPattern{kind, names, whole, t.exceptions(kind, names)}); wild {
				p.wildcards = append(p.wildcards, one)
			} else {
				p.byFirstName.Add(names[0], one)
			}
		}
	}
	for _, name := range t.Local {
		p.local[name] = true
	}
	for _, name := range t.Metadata {
		p.metadata[name] = true
	}
	for _, kind := range t.OfflineHazards {
		p.offline[kind] = true
	}
	return p, nil
}

// exceptions returns the patterns of Except that refine a pattern of a kind.
func (t Table) exceptions(kind string, names []string) (list [][]string) {
	last := len(names) - 1
	if kind != kindHost || names[last] != "**" {
		return nil
	}
	for _, text := range t.Except {
		if longer := strings.Split(text, "/"); len(longer) > last && slices.Equal(longer[:last], names[:last]) {
			list = append(list, longer)
		}
	}
	return list
}

// covers reports whether no exception of the pattern matches these names.
func (t pathPattern) covers(names []string) bool {
	return !slices.ContainsFunc(t.except, func(longer []string) bool { return matchNames(longer, names) == matches })
}

// MatchPath returns the kind of the protected path that an absolute, clean path is or is inside. If the path
// is instead a directory that may contain a protected path, holds is true.
func (p *Catalog) MatchPath(full string) (kind string, holds bool) {
	full = strings.ToLower(strings.Trim(full, "/"))
	for rest, more := full, true; more; {
		name, after, below := strings.Cut(rest, "/")
		for _, t := range p.byFirstName.Of(name) {
			if t.whole && rest != full {
				continue
			}
			switch names := strings.Split(rest, "/"); matchNames(t.names, names) {
			case matches:
				if t.covers(names) {
					return t.kind, false
				}
			case matchesAbove:
				if below || t.whole || strings.HasPrefix(name, ".") { // an ordinary name such as documents may be any directory
					kind, holds = t.kind, true
				}
			}
		}
		if found := p.matchWildcards(name, rest); found != "" {
			return found, false
		}
		rest, more = after, below
	}
	return kind, holds
}

// matchWildcards returns the kind of the protected path that the rest of a path is, by the patterns whose first
// name is a wildcard pattern. Any directory may contain such a path, so directories above are not
// reported.
func (p *Catalog) matchWildcards(name, rest string) string {
	if !strings.Contains(name, ".") {
		return ""
	}
	for _, t := range p.wildcards {
		if matchNames(t.names, strings.Split(rest, "/")) == matches {
			return t.kind
		}
	}
	return ""
}

// match is the result of matchNames.
type match int

const (
	noMatch      match = iota
	matchesAbove       // the path is a directory above one that matches
	matches
)

// matchNames matches a whole list of names against a pattern, in which ** stands for any number of names.
func matchNames(pattern, names []string) match {
	for i, name := range pattern {
		if name == "**" {
			rest := pattern[i+1:]
			if len(rest) == 0 {
				return matches
			}
			best := matchesAbove
			for from := i; from < len(names); from++ {
				if matchNames(rest, names[from:]) == matches {
					best = matches
				}
			}
			return best
		}
		if i == len(names) {
			return matchesAbove
		}
		if matched, err := path.Match(name, names[i]); err != nil || !matched {
			return noMatch
		}
	}
	if len(names) == len(pattern) {
		return matches
	}
	return noMatch
}
