# METADATA
# title: Decision
# description: |
#   The entrypoint. Deny wins over ask, ask over allow, and a call is allowed only
#   when every required layer permits and none objects. A required layer that says
#   nothing at all denies.
# schemas:
#   - input: schema.facts
package gavel.decision

import data.gavel.agent
import data.gavel.approvals
import data.gavel.approvals.terms
import data.gavel.custom
import data.gavel.elevated
import data.gavel.exec
import data.gavel.exec.commands
import data.gavel.exec.offer
import data.gavel.frozen
import data.gavel.guard
import data.gavel.reason
import data.gavel.resources
import data.gavel.tools

# METADATA
# title: Result
# description: the whole decision as one object
# entrypoint: true
result := {"effect": "deny", "reasons": _denials, "exec": {}} if {
	_denials != set()
} else := {"effect": "allow", "reasons": _grounds, "exec": _plan} if {
	_denials == set()
	_asks == set()
	_permitted
} else := {"effect": "deny", "reasons": approvals.unanswered, "exec": {}} if {
	count(_asks) > 0
	count(approvals.unanswered) > 0
} else := {"effect": "ask", "reasons": _asks, "exec": _asked_plan, "terms": terms.terms} if {
	count(_asks) > 0
	count(silent) == 0
} else := {"effect": "deny", "reasons": silent, "exec": {}}

# METADATA
# description: deny, ask or allow
effect := result.effect

# METADATA
# description: what objects, or for an allow what permitted it
reasons := result.reasons

_denials := _always | custom.deny if {
	commands.absent
	_unheard
	_fileless
} else := ((_always | custom.deny) | resources.deny) | approvals.deny if {
	commands.absent
} else := ((_always | custom.deny) | approvals.deny) | (exec.deny | elevated.deny)

_always := (_agent.deny | guard.deny) | tools.deny

# A person who has answered was asked about everything at once.
_asks := custom.ask if {
	commands.absent
	_unheard
} else := set() if {
	approvals.answered
} else := custom.ask if {
	commands.absent
} else := (exec.ask | approvals.ask) | custom.ask

_grounds := tools.because if {
	commands.absent
	_unheard
} else := tools.because | approvals.because if {
	commands.absent
} else := (tools.because | exec.because) | approvals.because

_permitted if {
	commands.absent
	_fileless
	_agent.permit == true
	tools.permit
}

_permitted if {
	commands.absent
	_agent.permit == true
	tools.permit
	resources.permit
}

_permitted if {
	_agent.permit == true
	tools.permit
	_runnable
	approvals.permit
	elevated.permit
}

_runnable if exec.permit

# What layer 2 asked about, and a person has answered.
_runnable if {
	approvals.answered
	exec.approvable
}

# Most of the agent layer looks at the context only and is part of the frozen part. Who
# speaks for the agent, and whether it is paused, is told anew for each call.
_agent := {"deny": (frozen.result.agent.deny | agent.refused), "permit": _admitted}

_admitted if {
	frozen.result.agent.permit == true
	count(agent.refused) == 0
} else := false

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

_silent_layers contains "resources" if {
	commands.absent
	not _fileless
	not resources.permit
	count(resources.deny) == 0
}

_silent_layers contains "exec" if {
	not commands.absent
	not exec.permit
	count(exec.deny | exec.ask) == 0
}

_silent_layers contains "approvals" if {
	not commands.absent
	not approvals.permit
	count(approvals.ask | approvals.deny) == 0
	count(exec.deny) == 0
}

_silent_layers contains "elevated" if {
	not commands.absent
	not elevated.permit
	count(elevated.deny) == 0
}

# METADATA
# description: |
#   every layer's verdict. A layer is required unless facts show that it has no say:
#   exec, approvals and elevated have none in a call of another tool, and files have one
#   in a call of a tool of files only; what exec does to files is judged by exec.
verdicts := {
	"agent": {"title": "configuration, facts and agent", "deny": _agent.deny, "ask": set(), "permit": _agent.permit, "required": true},
	"guard": {"title": "self-protection and limits", "deny": guard.deny, "ask": set(), "permit": false, "required": false},
	"tools": {"title": "tool policy", "deny": tools.deny, "ask": set(), "permit": tools.permit, "required": true},
	"resources": _files_verdict,
	"exec": _exec_verdict,
	"approvals": _approvals_verdict,
	"elevated": _elevated_verdict,
	"custom": {"title": "custom rules", "deny": custom.deny, "ask": custom.ask, "permit": false, "required": false},
}

_files_verdict := _no_say("files") if {
	_fileless
} else := {"title": "files", "deny": resources.deny, "ask": set(), "permit": resources.permit, "required": true}

_exec_verdict := _no_say("exec security") if {
	commands.absent
} else := {"title": "exec security", "deny": exec.deny, "ask": exec.ask, "permit": exec.permit, "required": true}

_approvals_verdict := _no_say("exec approvals") if {
	commands.absent
} else := {"title": "exec approvals", "deny": approvals.deny, "ask": approvals.ask, "permit": approvals.permit, "required": true}

_elevated_verdict := _no_say("elevated mode") if {
	commands.absent
} else := {"title": "elevated mode", "deny": elevated.deny, "ask": set(), "permit": elevated.permit, "required": true}

_no_say(title) := {"title": title, "deny": set(), "ask": set(), "permit": false, "required": false}

# Only a name that was observed, and is none of a tool of files, makes files unnecessary,
# or that no list of files is set for the agent.
_fileless if {
	is_string(input.tool.name)
	not data.gavel.catalog.resources[input.tool.name]
}

_fileless if frozen.result.files == resources.unlisted

# Nobody was asked about the call, which is so for nearly all of them.
_unheard if input.approval.looked == false

# Where the command runs and what permitted each segment; the snapshot adds the words.
_plan := {} if {
	commands.absent
} else := {"host": exec.host, "node": _node, "by": _by, "safe": exec.safe_segments}

# With an ask goes what an operator could be offered beside "once" (R26).
_asked_plan := {} if {
	commands.absent
} else := object.union(_plan, {"offer": offer.result})

_node := node if {
	exec.host == "node"
	node := exec.node
} else := ""

_by := "approval" if {
	approvals.answered
	not exec.permit
} else := "full" if {
	exec.security == "full"
} else := "allowlist"
