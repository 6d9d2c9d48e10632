package unwrap

import (
	"slices"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
)

// Steady says which programs never change where a path leads, and which look for a repository.
// The zero value lists no program.
type Steady struct {
	programs     map[string]bool
	changing     map[string]bool // of programs, those that change the files that they are given: touch
	commands     map[string]map[string]bool
	hazards      map[string]bool
	repositories map[string]*programs.Repository
	projects     map[string]*programs.ProjectCode // programs that run code of the directory that they work in
	moving       map[string]map[string]bool       // sub-commands that move, remove or change the directories that they are given
}

// newSteady reads what a catalog says about its programs. hazards are the kinds of hazard with
// which a steady program stays steady.
func newSteady(catalog *programs.Catalog, hazards []string) Steady {
	s := Steady{programs: map[string]bool{}, changing: map[string]bool{}, commands: map[string]map[string]bool{}, hazards: map[string]bool{}, repositories: map[string]*programs.Repository{}, projects: map[string]*programs.ProjectCode{},
		moving: map[string]map[string]bool{}}
	for _, kind := range hazards {
		s.hazards[kind] = true
	}
	for _, e := range catalog.Entries() {
		if e.Steady {
			s.programs[e.Name], s.changing[e.Name] = true, e.ChangesFiles
		}
		for _, name := range e.SteadySubcommands {
			if s.commands[e.Name] == nil {
				s.commands[e.Name] = map[string]bool{}
			}
			s.commands[e.Name][name] = true
		}
		for _, name := range e.OwnNames() {
			for _, sub := range e.MovingSubcommands {
				if s.moving[name] == nil {
					s.moving[name] = map[string]bool{}
				}
				s.moving[name][sub] = true
			}
		}
		if e.ProjectCode != nil {
			s.projects[e.Name] = e.ProjectCode
		}
		if e.Repository != nil {
			s.repositories[e.Name] = e.Repository
		}
	}
	return s
}

// reads reports whether a segment only reads the files that it is given.
func (s *Steady) reads(one *gavel.Segment) bool {
	return s.leavesAlone(one) && !s.changing[one.Executable.Name] && !s.changing[one.Executable.RealName]
}

// leavesAlone reports whether a segment changes neither what is in the files that it is given nor
// where a path leads. This permits something, so only the exact name of the program counts.
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

// runsProject reports whether a segment runs any code that is in the directory that it works in, and
// does nothing besides that its arguments say.
func (s *Steady) runsProject(one *gavel.Segment) bool {
	project := s.projects[one.Executable.Name]
	for _, name := range one.Executable.Programs {
		if project == nil {
			project = s.projects[name]
		}
	}
	if project == nil || one.OptionsKnown != "exact" {
		return false
	}
	said := false
	for _, h := range one.Hazards {
		if h.Kind != "project" && (h.Kind != hazard.KindProgram || !project.Hazard) {
			return false
		}
		said = said || h.Kind == "project"
	}
	if project.Hazard && !said {
		return false
	}
	return (len(project.Subcommands) == 0 || slices.Contains(project.Subcommands, one.SubCommand)) &&
		!slices.ContainsFunc(one.Options, func(o gavel.GivenOption) bool {
			return slices.ContainsFunc(o.Names, func(name string) bool { return slices.Contains(project.Unless, name) })
		})
}
