# METADATA
# title: Elevated mode
# description: |
#   Layer 4: may a sandboxed agent leave its sandbox (ELEVATED-1 to ELEVATED-3, R31)? The denials
#   of other layers stay: a level only decides where a command runs, and whether people are asked
#   about it. Each closed gate has a reason of its own, so that all of them are seen at once.
# schemas:
#   - input: schema.facts
package gavel.elevated

import data.gavel.elevated.level
import data.gavel.elevated.senders
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Elevated mode is off
# description: a sandboxed agent asked to leave its sandbox, and elevated mode is off
# custom:
#   code: elevated.off
#   message: the call asks to leave the sandbox, and elevated mode is off
#   fix: 'leave out the parameter elevated, so that the command runs in the sandbox, or %s'
deny contains reason.fixed(rego.metadata.rule(), [], [_gate_fix(gate.path)], gate) if {
	_may_not_leave
	some gate in _closed_gates
}

# METADATA
# title: Elevated level is unknown
# description: the session or the message has a level that does not exist
# custom:
#   code: elevated.level
#   message: 'the call asks to leave the sandbox with the elevated level %q, which does not exist'
#   fix: 'use one of off, on, ask, full'
deny contains reason.from(rego.metadata.rule(), [level.stated], {}) if {
	_may_not_leave
	not level.wanted
}

# METADATA
# title: Sender is not known
# description: the call does not state whose message the agent is working on
# custom:
#   code: elevated.nobody
#   message: the call asks to leave the sandbox, and does not say on which channel the sender is
#   fix: have the gateway state sender.channel and sender.id
deny contains reason.from(rego.metadata.rule(), [], {"path": "tools.elevated.allowFrom"}) if {
	_may_not_leave
	frozen.result.elevated.global == true
	not _channel_known
}

# METADATA
# title: Sender may not elevate
# description: a list of senders does not name the sender
# custom:
#   code: elevated.sender
#   message: '%s is not on the list of senders who may let commands leave the sandbox'
#   fix: 'run the command in the sandbox, or add the sender to %s'
deny contains reason.fixed(rego.metadata.rule(), [_sender], [list.path], {"path": list.path}) if {
	_may_not_leave
	_channel_known
	some list in frozen.result.elevated.lists
	not senders.names_sender(list)
}

# METADATA
# description: denied unless a rule below permits
default permit := false

# METADATA
# description: the call does not ask to leave the sandbox
permit if _stays_in_sandbox

# METADATA
# description: an authorised sender lets it leave the sandbox
permit if level.active in {"on", "ask", "full"}

# METADATA
# title: Command leaves the sandbox
# description: an authorised sender has set an elevated level
# custom:
#   code: elevated.active
#   message: 'elevated mode is %s: %s lets the command leave the sandbox'
#   fix: ""
because contains reason.from(rego.metadata.rule(), [level.active, _sender], {"path": "tools.elevated.allowFrom"}) if {
	level.active in {"on", "ask", "full"}
}

# The call asks to leave the sandbox, and may not. A default level is not a request.
_may_not_leave if {
	not _stays_in_sandbox
	not level.active in {"on", "ask", "full"}
}

_stays_in_sandbox if {
	input.exec.request.elevated == false
	level.stated in {"", "off", "false", "no", "0"}
}

_stays_in_sandbox if {
	input.exec.request.declined == true
	input.exec.request.elevated == false
}

_closed_gates contains {"path": path} if some path in frozen.result.elevated.off

_closed_gates contains {"path": "tools.elevated", "from": "default"} if not frozen.result.elevated.global == true

_closed_gates contains {"path": "agents.defaults.elevatedDefault", "from": "global"} if {
	level.stated == ""
	frozen.result.elevated["default"] == "off"
}

# The configuration runs this agent in no sandbox, so it has nothing to leave.
_closed_gates contains {"path": mode.path, "from": mode.from} if {
	not frozen.result.sandbox.disputed == false
	mode := frozen.result.sandbox.mode
}

# A level off that was set explicitly is binding.
_closed_gates contains {"path": "session.elevated"} if {
	level.stated != ""
	level.wanted == "off"
}

# How a person opens the gate.
_gate_fix(path) := "have the sender set another level, as in /elevated on" if {
	path == "session.elevated"
} else := "name the sender in tools.elevated.allowFrom" if {
	path == "tools.elevated"
} else := sprintf("set %s to true", [path]) if {
	endswith(path, ".enabled")
} else := sprintf("change %s", [path])

_channel_known if input.sender.channel != ""

default _sender := "the sender"

_sender := sprintf("%s:%s", [input.sender.channel, input.sender.id]) if {
	input.sender.channel != ""
	input.sender.id != ""
}
