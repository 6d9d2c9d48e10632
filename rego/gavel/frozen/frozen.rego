# METADATA
# title: Frozen part
# description: |
#   What does not depend on the call's parameters. A snapshot evaluates fresh once
#   for each context (agent, parents, model, group, sender, sandbox, plugins) and
#   passes it as input.frozen; it makes that context out of facts that are complete
#   and a configuration that was checked, and says so in input.snapshot. Stock OPA evaluates the same rule on every query.
package gavel.frozen

import data.gavel.agent
import data.gavel.custom
import data.gavel.exec.commands
import data.gavel.exec.settings
import data.gavel.resources
import data.gavel.tools

# METADATA
# description: the frozen part, remembered or fresh
result := input.frozen if {
	input.frozen
} else := fresh

# METADATA
# description: the frozen part, computed from the facts of this input
fresh := {
	"agent": {"deny": agent.deny, "permit": agent.permit},
	"tools": _tools,
	"exec": settings.configured,
	"files": resources.lists,
	"custom": custom.packages,
}

# A configuration that is no configuration has no frozen set, and permits nothing.
default _tools := {"visible": {}, "removed": {}, "resolutions": []}

_tools := tools.effective

# METADATA
# description: |
#   facts that every input has and this one lacks. A snapshot makes its input from a
#   struct that cannot lack any, so this matters where facts come from elsewhere.
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
