# METADATA
# title: Terminals
# description: |
#   Programs that read commands from a terminal. If an agent can type into such a program, nothing
#   judges what it types. Which programs do this is a fact, observed with the entries of
#   gavel/catalog/programs.
# schemas:
#   - input: schema.facts
package gavel.exec.terminal

import data.gavel.exec.allowlist
import data.gavel.reason

# METADATA
# description: a program whose terminal the agent can type into, in every mode
reasons contains reason.placed(_terminal_reason(segment), segment) if {
	some segment in input.exec.segments
	_reads_commands(segment)
	not _accepted(segment)
}

# METADATA
# title: Program reads commands from a terminal
# description: the agent can type commands into a program that it starts, and nothing would judge them
# custom:
#   code: exec.terminal
#   message: '%s reads commands from its terminal, where the agent could type anything unseen'
#   fix: 'give it its commands as arguments, in a file or with < /dev/null; or list terminal under args of its allowlist entry'
_terminal_reason(segment) := reason.from(rego.metadata.rule(), [object.get(segment, ["executable", "name"], "a program")], {})

_reads_commands(segment) if {
	some hazard in segment.hazards
	not _other_hazard(hazard)
}

_other_hazard(hazard) if {
	is_string(hazard.option)
	not hazard.option == "terminal"
}

_accepted(segment) if {
	some word in ["any", "terminal"]
	word in allowlist.entry(segment).args
}
