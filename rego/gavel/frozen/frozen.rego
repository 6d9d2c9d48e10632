# METADATA
# title: Frozen part
# description: |
#   What does not depend on the call's parameters. A snapshot evaluates fresh once
#   for each context (agent, parents, model, group, sender, sandbox, plugins) and
#   passes it as input.frozen; it makes that context out of facts that are complete
#   and a configuration that was checked, and says so in input.snapshot. Stock OPA evaluates the same rule on every query.
package gavel.frozen

import data.gavel.agent.admission
import data.gavel.custom.packages
import data.gavel.exec.settings
import data.gavel.resources.lists
import data.gavel.tools.effective

# METADATA
# description: the frozen part, remembered or fresh
result := input.frozen if {
	input.frozen
} else := fresh

# METADATA
# description: the frozen part, computed from the facts of this input
fresh := {
	"agent": {"deny": admission.deny, "permit": admission.permit},
	"tools": _tools,
	"exec": settings.configured,
	"files": lists.configured,
	"custom": packages.found,
}

# A configuration that is not a configuration has no frozen set, and permits nothing.
default _tools := {"visible": {}, "removed": {}, "resolutions": []}

_tools := effective.result
