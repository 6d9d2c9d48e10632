# METADATA
# title: Elevated mode
# description: |
#   Layer 4: may a sandboxed agent leave its sandbox (ELEVATED-1, R31)? In this version nobody
#   can authorise that, so elevated mode is always off.
# schemas:
#   - input: schema.facts
package gavel.elevated

import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Elevated mode is off
# description: a sandboxed agent asked to leave its sandbox, and nobody can allow that
# custom:
#   code: elevated.off
#   message: the call asks to leave the sandbox, and elevated mode is off
#   fix: leave out the parameter elevated; the command then runs in the sandbox
deny contains reason.from(rego.metadata.rule(), [], {"path": "tools.elevated", "from": "default"}) if {
	not _host_agent
	not _not_asked
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: an agent outside a sandbox runs on the host anyway (ELEVATED-1)
permit if _host_agent

# METADATA
# description: the call does not ask to leave the sandbox
permit if _not_asked

_host_agent if frozen.result.exec.sandboxed == false

_not_asked if {
	input.exec.request.elevated == false
	input.session.elevated in {"", "off"}
	input.session.inline in {"", "off"}
}
