# METADATA
# title: Frozen part
# description: |
#   Everything that does not depend on the call's parameters. A snapshot evaluates fresh once
#   for each context (agent, parents, model, group, sender, sandbox, plugins) and passes the
#   result as input.frozen. It builds that context from complete facts and a checked
#   configuration, and says so in input.snapshot. Stock OPA evaluates the same rule on every
#   query.
package gavel.frozen

import data.gavel.agent.admission
import data.gavel.custom.packages
import data.gavel.elevated.settings as elevated_settings
import data.gavel.exec.settings
import data.gavel.resources.limits
import data.gavel.resources.lists
import data.gavel.resources.weblists
import data.gavel.sandbox
import data.gavel.tools.effective
import data.gavel.verifier.settings as verifier_settings

# METADATA
# description: the frozen part, from the snapshot or computed
result := input.frozen if {
	input.frozen
} else := fresh

# METADATA
# description: the frozen part, computed from the facts of this input
fresh := {
	"agent": {"deny": admission.deny, "permit": admission.permit},
	"tools": _tools,
	"exec": settings.configured,
	"elevated": elevated_settings.configured,
	"files": lists.configured,
	"searches": lists.searches,
	"limits": limits.configured,
	"web": weblists.configured,
	"custom": packages.found,
	"verifier": verifier_settings.configured,
	"sandbox": sandbox.configured,
}

# A configuration that is not an object has no frozen part, and permits nothing.
default _tools := {"visible": {}, "removed": {}, "resolutions": []}

_tools := effective.result
