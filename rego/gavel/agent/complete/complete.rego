# METADATA
# title: Complete facts
# description: Which of the facts that every call has are missing from this input.
package gavel.agent.complete

import data.gavel.exec.commands

# METADATA
# scope: document
# description: |
#   facts that every input must have and that this one lacks. A snapshot builds its input from
#   a struct that always has all of them, so this matters for facts from elsewhere.
missing contains path if {
	some path in data.gavel.catalog.facts.every
	not _present(path)
}

missing contains path if {
	some i, parent in input.agent.parents
	some key in data.gavel.catalog.facts.parent
	object.get(parent, key, null) == null
	path := sprintf("agent.parents[%d].%s", [i, key])
}

missing contains path if {
	not _plain
	some path in data.gavel.catalog.facts.exec
	not _present(path)
}

missing contains path if {
	not _plain
	some i, segment in input.exec.segments
	some key in data.gavel.catalog.facts.segment
	object.get(segment, split(key, "."), null) == null
	path := sprintf("exec.segments[%d].%s", [i, key])
}

missing contains path if {
	not _plain
	some i, assignment in input.exec.assigned
	some key in data.gavel.catalog.facts.assigned
	object.get(assignment, key, null) == null
	path := sprintf("exec.assigned[%d].%s", [i, key])
}

missing contains path if {
	not _plain
	some i, section in input.approvalsFile.settings
	some key in data.gavel.catalog.facts.setting
	object.get(section, key, null) == null
	path := sprintf("approvalsFile.settings[%d].%s", [i, key])
}

# A snapshot's own context comes from a struct, whose members cannot be missing.
_present(_) if input.snapshot

_present(path) if object.get(input, split(path, "."), null) != null

_plain if commands.absent

_plain if input.snapshot
