package analyzer

import "gavel"

// skills adds to each segment what a gateway registered under its name, if the name is written
// without a directory and is known before the command runs.
func (e *environment) skills(segments []gavel.Segment, claimed *gavel.Environment) {
	if claimed == nil || len(claimed.Skills) == 0 {
		return
	}
	for i := range segments {
		s := &segments[i]
		skill, registered := claimed.Skills[s.Executable.Name]
		if !registered || s.Builtin != "" || len(s.Argv) == 0 || s.Argv[0] != s.Executable.Name {
			continue
		}
		s.Skill = &gavel.SkillFacts{Skill: skill.Skill, Program: skill.Program, SHA256: skill.SHA256}
		if s.Executable.Found && s.Executable.Real != "" && !e.Facts.Claimed {
			s.Skill.Content, _ = e.Host.Program(s.Executable.Real)
		}
	}
}
