package analyzer

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"gavel/analyzer/programs"
)

// protectedTable is rego/gavel/catalog/analysis/protected.yaml.
type protectedTable struct {
	State         fields `yaml:"state"`
	Policy        fields `yaml:"policy"`
	Host          fields `yaml:"host"`
	Local         fields `yaml:"local"`
	Answering     fields `yaml:"answering"`
	Metadata      fields `yaml:"metadata"`
	SteadyHazards fields `yaml:"steady_hazards"`
}

// protected is the same, made for looking up.
type protected struct {
	tails                            beginnings[tail]
	local, metadata, steady, hazards map[string]bool
	answering                        []string
	commands                         map[string]map[string]bool
	repositories                     map[string]*programs.Repository
}

// tail is what the path of a protected place ends like.
type tail struct {
	kind  string
	names []string
}

// prepare makes it empty.
func (p *protected) prepare() {
	p.repositories = map[string]*programs.Repository{}
	p.local, p.metadata, p.steady, p.hazards = map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}
	p.commands = map[string]map[string]bool{}
}

func (p *protected) add(t protectedTable) error {
	for kind, list := range map[string]fields{touchState: t.State, touchPolicy: t.Policy, touchHost: t.Host} {
		for _, text := range list {
			names := strings.Split(text, "/")
			if strings.ContainsAny(names[0], `*?[\`) || names[0] == "" {
				return fmt.Errorf("protected place %q: its first name must be written out", text)
			}
			for _, name := range names {
				if _, err := path.Match(name, ""); err != nil {
					return fmt.Errorf("protected place %q: %w", text, err)
				}
			}
			p.tails.add(names[0], tail{kind, names})
		}
	}
	for set, list := range map[*map[string]bool]fields{&p.local: t.Local, &p.metadata: t.Metadata, &p.hazards: t.SteadyHazards} {
		for _, name := range list {
			(*set)[name] = true
		}
	}
	p.answering = append(p.answering, t.Answering...)
	return nil
}

// know notes the programs of a catalog that leave paths alone, and those that look for a
// repository.
func (p *protected) know(catalog *programs.Catalog) {
	for _, e := range catalog.Entries() {
		if e.Steady {
			p.steady[e.Name] = true
		}
		for _, name := range e.SteadySubcommands {
			if p.commands[e.Name] == nil {
				p.commands[e.Name] = map[string]bool{}
			}
			p.commands[e.Name][name] = true
		}
		if e.Repository != nil {
			p.repositories[e.Name] = e.Repository
		}
	}
}

// place says which kind of protected place an absolute clean path is, or lies in, and
// whether it is a directory that holds one instead.
func (p *protected) place(full string) (kind string, holds bool) {
	for rest, more := strings.ToLower(strings.Trim(full, "/")), true; more; {
		name, after, below := strings.Cut(rest, "/")
		for _, t := range p.tails.of(name) {
			switch ends(t.names, strings.Split(rest, "/")) {
			case endsThere:
				return t.kind, false
			case endsBefore:
				kind, holds = t.kind, true
			}
		}
		rest, more = after, below
	}
	return kind, holds
}

type ending int

const (
	endsElsewhere ending = iota
	endsBefore           // the path is a directory above such a place
	endsThere
)

// ends compares names with a pattern from their beginning to their end.
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

// leavesAlone reports whether a program, by its names and its sub-command, is one that
// changes no file that it is given and no way that a path leads. What permits goes by the
// name as it stands: nothing is taken off.
func (p *protected) leavesAlone(names []string, command string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !p.steady[name] && !p.commands[name][command]
	})
}
