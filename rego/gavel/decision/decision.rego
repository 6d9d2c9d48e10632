# METADATA
# title: Decision
# description: |
#   The entrypoint. Deny wins over ask, ask over allow, and a call is allowed only
#   when every required layer permits and none objects. A required layer that says
#   nothing at all denies.
# schemas:
#   - input: schema.facts
package gavel.decision

import data.gavel.approvals
import data.gavel.custom
import data.gavel.elevated
import data.gavel.exec
import data.gavel.frozen
import data.gavel.reason
import data.gavel.tools

# METADATA
# title: Result
# description: the whole decision as one object
# entrypoint: true
result := {"effect": "deny", "reasons": _denials, "exec": {}} if {
	count(_denials) > 0
} else := {"effect": "ask", "reasons": _asks, "exec": _plan} if {
	count(_asks) > 0
	count(silent) == 0
} else := {"effect": "allow", "reasons": _grounds, "exec": _plan} if {
	count(_asks) == 0
	_permitted
} else := {"effect": "deny", "reasons": silent, "exec": {}}

# METADATA
# description: deny, ask or allow
effect := result.effect

# METADATA
# description: what objects, or for an allow what permitted it
reasons := result.reasons

_denials := (_agent.deny | tools.deny) | custom.deny if {
	_plain
} else := ((_agent.deny | tools.deny) | custom.deny) | (exec.deny | elevated.deny)

_asks := custom.ask if {
	_plain
} else := (exec.ask | approvals.ask) | custom.ask

_grounds := tools.because if {
	_plain
} else := tools.because | exec.because

_permitted if {
	_plain
	_agent.permit == true
	tools.permit
}

_permitted if {
	_agent.permit == true
	tools.permit
	exec.permit
	approvals.permit
	elevated.permit
}

# The agent layer looks at the context only, so its verdict is part of the frozen part.
_agent := frozen.result.agent

# METADATA
# title: Layer is silent
# description: a required layer neither permits nor objects, which must never read as consent
# custom:
#   code: decision.silent
#   message: layer %s neither permits nor objects
#   fix: report this; every required layer must say something
silent contains reason.from(rego.metadata.rule(), [layer], {}) if {
	some layer in _silent_layers
}

_silent_layers contains "agent" if {
	not _agent.permit == true
	count(_agent.deny) == 0
}

_silent_layers contains "tools" if {
	not tools.permit
	count(tools.deny) == 0
}

_silent_layers contains "exec" if {
	not _plain
	not exec.permit
	count(exec.deny | exec.ask) == 0
}

_silent_layers contains "approvals" if {
	not _plain
	not approvals.permit
	count(approvals.ask) == 0
	count(exec.deny) == 0
}

_silent_layers contains "elevated" if {
	not _plain
	not elevated.permit
	count(elevated.deny) == 0
}

# METADATA
# description: |
#   every layer's verdict. A layer is required unless facts show that it has no say:
#   exec, approvals and elevated have none in a call of another tool.
verdicts := {
	"agent": {"title": "configuration, facts and agent", "deny": _agent.deny, "ask": set(), "permit": _agent.permit, "required": true},
	"tools": {"title": "tool policy", "deny": tools.deny, "ask": set(), "permit": tools.permit, "required": true},
	"exec": _exec_verdict("exec security", exec.deny, exec.ask, exec.permit),
	"approvals": _exec_verdict("exec approvals", set(), approvals.ask, approvals.permit),
	"elevated": _exec_verdict("elevated mode", elevated.deny, set(), elevated.permit),
	"custom": {"title": "custom rules", "deny": custom.deny, "ask": custom.ask, "permit": false, "required": false},
}

_exec_verdict(title, deny, ask, permit) := {"title": title, "deny": deny, "ask": ask, "permit": permit, "required": true} if {
	not _plain
} else := {"title": title, "deny": set(), "ask": set(), "permit": false, "required": false}

# Only a name that was observed and is another makes the exec layers unnecessary.
_plain if {
	is_string(input.tool.name)
	input.tool.name != "exec"
}

# Where the command runs and what permitted each segment; the snapshot adds the words.
_plan := {} if {
	_plain
} else := {"host": exec.host, "node": _node, "by": _by}

_node := node if {
	exec.host == "node"
	node := exec.node
} else := ""

_by := "full" if {
	exec.security == "full"
} else := "allowlist"
