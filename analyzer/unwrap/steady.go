package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/programs"
)

// Steady says which programs leave every path leading where it led, and which look for a
// repository. The zero value knows no program.
type Steady struct {
	programs     map[string]bool
	commands     map[string]map[string]bool
	hazards      map[string]bool
	repositories map[string]*programs.Repository
}

// newSteady takes over what a catalog says of its programs, and the kinds of hazard with
// which a steady program stays one.
func newSteady(catalog *programs.Catalog, hazards []string) Steady {
	s := Steady{programs: map[string]bool{}, commands: map[string]map[string]bool{}, hazards: map[string]bool{}, repositories: map[string]*programs.Repository{}}
	for _, kind := range hazards {
		s.hazards[kind] = true
	}
	for _, e := range catalog.Entries() {
		if e.Steady {
			s.programs[e.Name] = true
		}
		for _, name := range e.SteadySubcommands {
			if s.commands[e.Name] == nil {
				s.commands[e.Name] = map[string]bool{}
			}
			s.commands[e.Name][name] = true
		}
		if e.Repository != nil {
			s.repositories[e.Name] = e.Repository
		}
	}
	return s
}

// leavesAlone reports whether a segment changes no file that it is given and no way that a
// path leads. What permits goes by the name as it stands: nothing is taken off.
func (s *Steady) leavesAlone(one *gavel.Segment) bool {
	if one.Opaque != "" {
		return false
	}
	if one.Builtin != "" {
		return true
	}
	for _, name := range [...]string{one.Executable.Name, one.Executable.RealName} {
		if !s.programs[name] && !s.commands[name][one.SubCommand] {
			return false
		}
	}
	return !slices.ContainsFunc(one.Hazards, func(h gavel.Hazard) bool { return !s.hazards[h.Kind] })
}
