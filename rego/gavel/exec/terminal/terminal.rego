# METADATA
# title: Terminals
# description: |
#   Programs that read commands from a terminal. Where an agent can type into what it started,
#   nobody judges what it types. Which programs do that is a fact, read as
#   gavel/catalog/programs says.
# schemas:
#   - input: schema.facts
package gavel.exec.terminal

import data.gavel.exec.allowlist
import data.gavel.reason

# METADATA
# description: a program whose terminal the agent can type into, in every mode
reasons contains reason.placed(_typed(segment), segment) if {
	some segment in input.exec.segments
	_reads_commands(segment)
	not _accepted(segment)
}

# METADATA
# title: Program reads commands from a terminal
# description: the agent can type into what it starts, and nobody would judge the commands that it types
# custom:
#   code: exec.terminal
#   message: '%s reads commands from its terminal, where the agent could type anything unseen'
#   fix: 'give it its commands as arguments, in a file or with < /dev/null; or list terminal under args of its allowlist entry'
_typed(segment) := reason.from(rego.metadata.rule(), [object.get(segment, ["executable", "name"], "a program")], {})

_reads_commands(segment) if {
	some hazard in segment.hazards
	not _another(hazard)
}

_another(hazard) if {
	is_string(hazard.option)
	not hazard.option == "terminal"
}

_accepted(segment) if {
	some word in ["any", "terminal"]
	word in allowlist.entry(segment).args
}
