package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/programs"
)

// PathEffects lists programs that never change where a path leads, programs that may, and programs that
// look for a repository.
// The zero value lists no program.
type PathEffects struct {
	programs     map[string]bool // programs that preserve paths
	changing     map[string]bool // of programs, those that change the files that they are given: touch
	commands     map[string]map[string]bool
	hazards      map[string]bool
	repositories map[string]*programs.Repository
	changes      map[string][]programs.ChangesPaths // when programs may create or move links or directories
	shows        map[string]bool                    // of programs, those that show or copy files that they are given
	walks        map[string]*programs.Grammar       // of programs and sub-commands that read directories as a whole
	ignoring     map[string]bool                    // the names of files that say what a search leaves out
	settings     map[string]bool                    // the names of files with settings of programs
	ignoreFiles  []string                           // such files of repositories: .git/info/exclude
	projects     map[string]*programs.ProjectCode   // programs that run code of the directory that they work in
	excluding    map[string][]string                // of programs, options with patterns of files to leave out
	moving       map[string]map[string]bool         // sub-commands that move, remove or change the directories that they are given
	decompresses map[string][]programs.ChangedFiles // of programs, the changes that may create a file without its ending
}

// newPathEffects reads what a catalog says about its programs. hazards are the kinds of hazard with
// which a program that preserves paths still does.
func newPathEffects(catalog *programs.Catalog, hazards []string) PathEffects {
	s := PathEffects{programs: map[string]bool{}, changing: map[string]bool{}, commands: map[string]map[string]bool{}, hazards: map[string]bool{}, repositories: map[string]*programs.Repository{},
		moving: map[string]map[string]bool{}, changes: map[string][]programs.ChangesPaths{}, shows: map[string]bool{}, walks: map[string]*programs.Grammar{},
		projects: map[string]*programs.ProjectCode{}, excluding: map[string][]string{}, settings: map[string]bool{}, ignoring: map[string]bool{".gitignore": true, ".ignore": true, ".rgignore": true},
		decompresses: map[string][]programs.ChangedFiles{}}
	for _, kind := range hazards {
		s.hazards[kind] = true
	}
	for _, e := range catalog.Entries() {
		if e.PreservesPaths {
			s.programs[e.Name], s.changing[e.Name] = true, e.ChangesFiles
		}
		for _, name := range e.PathPreservingSubcommands {
			if s.commands[e.Name] == nil {
				s.commands[e.Name] = map[string]bool{}
			}
			s.commands[e.Name][name] = true
		}
		copies := slices.ContainsFunc(e.Changes, func(c programs.ChangedFiles) bool { return c.Into })
		for _, name := range e.OwnNames() {
			s.changes[name], s.shows[name], s.walks[name] = e.ChangesPaths, e.ShowsFiles && !e.PrintsItsWords || copies, &e.Grammar
			s.addWalks(name, &e.Grammar, &e.Grammar)
			s.addSettings(&e.Grammar)
			for _, o := range e.Options {
				if o.Excludes {
					s.excluding[name] = append(s.excluding[name], o.Names...)
				}
			}
			for _, sub := range e.MovingSubcommands {
				if s.moving[name] == nil {
					s.moving[name] = map[string]bool{}
				}
				s.moving[name][sub] = true
			}
		}
		s.addDecompressors(catalog, e)
		if e.ProjectCode != nil {
			s.projects[e.Name] = e.ProjectCode
		}
		if e.Repository != nil {
			s.repositories[e.Name] = e.Repository
			if e.Repository.Ignores != "" {
				s.ignoreFiles = append(s.ignoreFiles, path.Join(e.Repository.Own, e.Repository.Ignores))
			}
		}
	}
	return s
}

// addWalks records the grammars of the sub-commands of a command; root is the grammar of the program.
func (s *PathEffects) addWalks(command string, g, root *programs.Grammar) {
	for sub, grammar := range g.Subcommands {
		from := &grammar.Grammar
		if grammar.Like != "" {
			from = root.At(strings.Fields(grammar.Like)...)
		}
		s.walks[command+" "+sub] = from
		s.addWalks(command+" "+sub, from, root)
	}
}

// reads reports whether a segment only reads the files that it is given.
func (s *PathEffects) reads(item *gavel.Segment) bool {
	return s.leavesAlone(item) && !s.changing[item.Executable.Name] && !s.changing[item.Executable.RealName]
}

// leavesAlone reports whether a segment changes neither what is in the files that it is given nor
// where a path leads. This permits something, so only the exact name of the program counts.
func (s *PathEffects) leavesAlone(item *gavel.Segment) bool {
	if item.Opaque != "" {
		return false
	}
	if item.Builtin != "" {
		return true
	}
	for _, name := range [...]string{item.Executable.Name, item.Executable.RealName} {
		if !s.programs[name] && !s.commands[name][item.SubCommand] {
			return false
		}
	}
	return !slices.ContainsFunc(item.Hazards, func(h gavel.Hazard) bool { return !s.hazards[h.Kind] })
}

// pathChanges returns what the catalog says about a segment that creates or moves links or directories.
func (s *PathEffects) pathChanges(item *gavel.Segment) (list []programs.ChangesPaths) {
	for _, name := range item.Executable.Programs {
		list = append(list, s.changes[name]...)
	}
	return list
}

// readsFiles reports whether a segment shows or copies what is in the files that it is given.
func (s *PathEffects) readsFiles(item *gavel.Segment) bool {
	return slices.ContainsFunc(item.Executable.Programs, func(name string) bool { return s.shows[name] })
}

// looking returns the grammars by which a segment reads directories recursively; none if it does not.
func (s *PathEffects) looking(item *gavel.Segment, line hazard.Line) (list []*programs.Grammar) {
	for _, name := range item.Executable.Programs {
		for _, g := range []*programs.Grammar{s.walks[name], s.walks[name+" "+strings.Join(line.Commands, " ")]} {
			if g != nil && g.Walks != nil && (g.Walks.AlwaysRecursive(name) || walking(line, g.Walks.With)) && !hasOption(line, g.Walks.NamesOnly) {
				list = append(list, g)
			}
		}
	}
	return list
}

// walking reports whether a line has one of these options, NAME or NAME=VALUE, or may have it.
func walking(line hazard.Line, with []string) bool {
	return line.OptionsKnown != exact || slices.ContainsFunc(line.Options, func(o gavel.GivenOption) bool {
		return slices.Contains(with, o.Name) || slices.Contains(with, o.Name+"="+o.Value)
	})
}

// texts returns how many of the first operands of a segment are text, and not paths.
func (s *PathEffects) texts(item *gavel.Segment, line hazard.Line) int {
	number := len(line.Operands)
	for _, name := range item.Executable.Programs {
		g := s.walks[name+" "+strings.Join(line.Commands, " ")]
		if g == nil {
			g = s.walks[name]
		}
		if g == nil {
			return 0
		}
		if text := g.OperandsAreText; !text.All {
			number = min(number, first(text, line))
		}
	}
	return number
}

// first returns how many of the first operands are text.
func first(text programs.OperandText, line hazard.Line) int {
	if hasOption(line, text.Unless) {
		return 0
	}
	return text.First
}

// leavesOut reports whether a program that reads directories so leaves out what git ignores there.
func leavesOut(list []*programs.Grammar, line hazard.Line) bool {
	return slices.ContainsFunc(list, func(g *programs.Grammar) bool {
		return len(g.Walks.IgnoredWith) > 0 && !hasOption(line, g.Walks.IgnoredWith)
	})
}

// here reports whether such a program reads the working directory, because it is given no other, nor
// its input through a pipe.
func here(list []*programs.Grammar, line hazard.Line, piped bool) bool {
	return slices.ContainsFunc(list, func(g *programs.Grammar) bool {
		return g.Walks.WorkingDirectory && !(g.Walks.UnlessPiped && piped) && len(line.Operands) <= first(g.OperandsAreText, line)
	})
}

// runsProject reports whether a segment runs any code that is in the directory that it works in, and
// does nothing besides that its arguments say.
func (s *PathEffects) runsProject(item *gavel.Segment) bool {
	project := s.projects[item.Executable.Name]
	for _, name := range item.Executable.Programs {
		if project == nil {
			project = s.projects[name]
		}
	}
	if project == nil || item.OptionsKnown != "exact" {
		return false
	}
	rendered := false
	for _, h := range item.Hazards {
		if h.Kind != "project" && (h.Kind != hazard.KindProgram || !project.Hazard) {
			return false
		}
		rendered = rendered || h.Kind == "project"
	}
	if project.Hazard && !rendered {
		return false
	}
	return (len(project.Subcommands) == 0 || slices.Contains(project.Subcommands, item.SubCommand)) &&
		!slices.ContainsFunc(item.Options, func(o gavel.GivenOption) bool {
			return slices.ContainsFunc(o.Names, func(name string) bool { return slices.Contains(project.Unless, name) })
		})
}
