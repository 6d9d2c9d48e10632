package approvals

import (
	"slices"

	"gavel"
)

// ExactPrefix is the prefix of the pattern of an entry for exactly one command, as in
// OpenClaw; 16 characters of its hash follow.
const ExactPrefix = "=command:"

// Exactly is an allowlist that supports entries for single commands.
type Exactly interface {
	// Exactly returns the path of the agent's entry for exactly the command with this
	// hash, or "".
	Exactly(agent, command string) string
}

// exactly is the entry for one command with everything that an answer covers: the binding
// without the session.
func exactly(command string) gavel.OfferedPattern {
	return gavel.OfferedPattern{Pattern: ExactPrefix + command[:16], Args: []string{},
		Only: &gavel.Only{Form: gavel.FormCommand, Command: command}}
}

// filesOf returns the code files of a command with their contents, without duplicates.
func filesOf(exec *gavel.ExecFacts) []gavel.ApprovalFile {
	var list []gavel.ApprovalFile
	add := func(f gavel.ApprovalFile) {
		if f.SHA256 != "" && !slices.ContainsFunc(list, func(other gavel.ApprovalFile) bool { return other.Path == f.Path }) {
			list = append(list, f)
		}
	}
	for i := range exec.Segments {
		segment := &exec.Segments[i]
		for _, wrapper := range segment.Wrappers {
			add(programFile(wrapper.Executable))
		}
		add(programFile(segment.Executable))
		for _, script := range segment.Scripts {
			add(gavel.ApprovalFile{Role: script.Role, Path: script.Real, SHA256: script.SHA256})
		}
	}
	return list
}

func programFile(program gavel.Executable) gavel.ApprovalFile {
	return gavel.ApprovalFile{Role: "program", Path: program.Real, SHA256: program.SHA256, Changeable: len(program.Writable) > 0}
}
