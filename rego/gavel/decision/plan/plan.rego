# METADATA
# title: Plan
# description: |
#   Where a command runs that is allowed or asked about, and what permits it. The snapshot adds
#   the text to run.
# schemas:
#   - input: schema.facts
package gavel.decision.plan

import data.gavel.approvals
import data.gavel.elevated.level
import data.gavel.exec
import data.gavel.exec.commands
import data.gavel.exec.modes
import data.gavel.exec.obligations
import data.gavel.exec.offer
import data.gavel.exec.permitted

# METADATA
# description: where the command runs, and what permits each segment
allowed := {} if {
	commands.absent
} else := object.union(
	{"host": modes.host, "node": _node, "by": _by, "safe": permitted.safe_segments, "skills": permitted.skill_segments},
	obligations.result,
)

# METADATA
# description: the same for a command that is asked about, and what a person can be offered besides "once" (R26)
asked := {} if {
	commands.absent
} else := object.union(allowed, {"offer": offer.result})

default _node := ""

_node := node if {
	modes.host == "node"
	node := modes.node
}

default _by := "allowlist"

_by := "approval" if {
	approvals.answered
	not exec.permit
} else := "full" if {
	modes.security == "full"
} else := "full" if {
	level.active == "full"
	not exec.permit
}
