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
	State          programs.Names `yaml:"state"`
	Policy         programs.Names `yaml:"policy"`
	Host           programs.Names `yaml:"host"`
	Except         programs.Names `yaml:"except"` // what patterns of Host that end in ** do not cover
	Local          programs.Names `yaml:"local"`
	Answering      programs.Names `yaml:"answering"`
	Metadata       programs.Names `yaml:"metadata"`
	OfflineHazards programs.Names `yaml:"offline_hazards"`
	HostParameters programs.Names `yaml:"host_parameters"`
	SteadyHazards  programs.Names `yaml:"steady_hazards"`
}

// Catalog is a Table, prepared for lookups.
type Catalog struct {
	tails           spelling.Beginnings[tail]
	anywhere        []tail // those whose first name is a pattern such as .* or *.x
	local, metadata map[string]bool
	offline         map[string]bool
	parameters      []string
	answering       []string
}

// Offline reports whether a hazard of this kind connects to no host that a word names.
func (p *Catalog) Offline(kind string) bool { return p.offline[kind] }

// NamesHost reports whether a parameter of a tool may name a host.
func (p *Catalog) NamesHost(parameter string) bool {
	lower := strings.ToLower(parameter)
	return slices.ContainsFunc(p.parameters, func(name string) bool { return strings.Contains(lower, name) })
}

// tail is a pattern for the end of the path of a protected place.
type tail struct {
	kind  string
	names []string
	whole bool // it is the whole path
	// except are longer patterns, which it does not cover.
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
			if one := (tail{kind, names, whole, t.exceptions(kind, names)}); wild {
				p.anywhere = append(p.anywhere, one)
			} else {
				p.tails.Add(names[0], one)
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

// covers reports whether a pattern has no exception for names.
func (t tail) covers(names []string) bool {
	return !slices.ContainsFunc(t.except, func(longer []string) bool { return ends(longer, names) == endsThere })
}

// Place returns the kind of protected place that an absolute, clean path is or is inside. holds
// is true if the path is instead a directory that contains one.
func (p *Catalog) Place(full string) (kind string, holds bool) {
	full = strings.ToLower(strings.Trim(full, "/"))
	for rest, more := full, true; more; {
		name, after, below := strings.Cut(rest, "/")
		for _, t := range p.tails.Of(name) {
			if t.whole && rest != full {
				continue
			}
			switch names := strings.Split(rest, "/"); ends(t.names, names) {
			case endsThere:
				if t.covers(names) {
					return t.kind, false
				}
			case endsBefore:
				if below || t.whole || strings.HasPrefix(name, ".") { // documents may be any directory
					kind, holds = t.kind, true
				}
			}
		}
		if found := p.placeAnywhere(name, rest); found != "" {
			return found, false
		}
		rest, more = after, below
	}
	return kind, holds
}

// placeAnywhere returns the kind of place that the rest of a path is, by the patterns whose first
// name is one. Any directory may be above such a place, so that says nothing.
func (p *Catalog) placeAnywhere(name, rest string) string {
	if !strings.Contains(name, ".") {
		return ""
	}
	for _, t := range p.anywhere {
		if ends(t.names, strings.Split(rest, "/")) == endsThere {
			return t.kind
		}
	}
	return ""
}

type ending int

const (
	endsElsewhere ending = iota
	endsBefore           // the path is a directory above such a place
	endsThere
)

// ends matches a whole list of names against a pattern.
func ends(pattern, names []string) ending {
	for i, one := range pattern {
		if one == "**" {
			rest := pattern[i+1:]
			if len(rest) == 0 {
				return endsThere
			}
			best := endsBefore
			for from := i; from < len(names); from++ {
				if ends(rest, names[from:]) == endsThere {
					best = endsThere
				}
			}
			return best
		}
		if i == len(names) {
			return endsBefore
		}
		if matched, err := path.Match(one, names[i]); err != nil || !matched {
			return endsElsewhere
		}
	}
	if len(names) == len(pattern) {
		return endsThere
	}
	return endsElsewhere
}
