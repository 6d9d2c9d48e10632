package unwrap

import (
	"path"
	"slices"
	"strings"

	"gavel"
	"gavel/analyzer/hazard"
	"gavel/analyzer/host"
	"gavel/analyzer/programs"
)

// Programs that look for settings where they run read what an earlier command wrote there.

// addSettings records the names of the files in which a program, or one of its sub-commands, finds its settings.
func (s *PathEffects) addSettings(g *programs.Grammar) {
	if g.Settings != nil {
		for _, name := range g.Settings.Files {
			s.settings[name] = true
		}
	}
	for _, sub := range g.Subcommands {
		s.addSettings(&sub.Grammar)
	}
}

// settingsOf returns where a segment finds its settings; nil if nowhere.
func (s *PathEffects) settingsOf(item *gavel.Segment, line hazard.Line) *programs.Settings {
	for _, name := range item.Executable.Programs {
		for _, g := range []*programs.Grammar{s.walks[name], s.walks[name+" "+strings.Join(line.Commands, " ")]} {
			if g != nil && g.Settings != nil && !hasOption(line, g.Settings.Unless) {
				return g.Settings
			}
		}
	}
	return nil
}

// markSettings adds a hazard to a segment whose settings another command may have changed before.
func (u *unwrapper) markSettings(from reader, s *gavel.Segment, line hazard.Line, places []pathChange) {
	settings := u.PathEffects.settingsOf(s, line)
	if settings == nil || u.Facts.Claimed || !slices.ContainsFunc(places, func(d pathChange) bool {
		return d.settings || !d.ignores && (d.root == "" || from.dir == "" || host.Within(from.dir, d.root) || host.Within(d.root, from.dir))
	}) && !(settings.MentionsFiles && u.mayChangeFiles(from.segment)) {
		return
	}
	s.Hazards = addHazard(s.Hazards, gavel.Hazard{Kind: settings.Means, Option: settings.HazardName, Argument: settings.Files[0], Index: 0})
}

// mayChangeFiles reports whether any other segment, or a redirection, may change files.
func (u *unwrapper) mayChangeFiles(segment int) bool {
	return slices.ContainsFunc(u.files, func(f gavel.Redirect) bool { return f.Writes && u.Hazards.Stores(f.Target) }) ||
		slices.ContainsFunc(u.readers, func(r reader) bool { return r.segment != segment && !u.PathEffects.reads(&u.list[r.segment]) })
}

// changesSettings reports whether a segment may change a file of settings: a word ends in its name, or is a
// pattern that may.
func (u *unwrapper) changesSettings(s *gavel.Segment) bool {
	for i, word := range s.Argv[1:] {
		for name := range u.PathEffects.settings {
			if strings.HasSuffix(strings.ToLower(word), name) {
				return true
			}
		}
		if slices.Contains(s.Dynamic, i+1) && (!slices.Contains(s.Patterns, i+1) || mayBeHidden(path.Base(word))) {
			return true
		}
	}
	return false
}
