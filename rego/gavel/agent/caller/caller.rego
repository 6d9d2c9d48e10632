# METADATA
# title: Caller
# description: |
#   Whether the caller may speak for the agent, and whether the agent may act at all. This
#   depends on the caller, the session and the time, so it is not in the frozen part (R43).
# schemas:
#   - input: schema.facts
package gavel.agent.caller

import data.gavel.reason

# METADATA
# title: Credential does not speak for the agent
# description: a credential speaks only for the agents that it names (R43)
# custom:
#   code: agent.credential
#   message: the credential %q does not speak for agent %q
#   fix: 'use a token for that agent (gavel token create %s --agent %s), or add the agent to gavel serve --shared-decide-agents for the shared decide token'
refused contains reason.fixed(rego.metadata.rule(), [_credential, _id], [_id, _id], {}) if {
	not _speaks_for_agent
}

# METADATA
# title: Session belongs to another agent
# description: the session key names a different agent from the call (R43)
# custom:
#   code: agent.session
#   message: the session key names agent %q, but the call is from agent %q
#   fix: send a session key of the agent that the call names
refused contains reason.from(rego.metadata.rule(), [_session_agent, _id], {}) if {
	not _own_session
}

# METADATA
# title: Credential is not for the session
# description: a credential that is bound to sessions is valid only in those sessions (R43)
# custom:
#   code: agent.session_bound
#   message: the credential %q is valid only in sessions that begin with %s
#   fix: send such a session key, or create a token for this session (gavel token create --session)
refused contains reason.from(rego.metadata.rule(), [_credential, _sessions], {}) if {
	not input.caller.inSession == true
}

# METADATA
# title: Agent is paused
# description: a paused agent, and every agent that it spawned, is denied until it is resumed
# custom:
#   code: agent.paused
#   message: 'agent %q is paused%s: %s'
#   fix: wait, or have an administrator run gavel agents resume %s
refused contains reason.fixed(rego.metadata.rule(), [_paused, _until, input.pause.why], [_paused], {}) if {
	input.pause.state == "paused"
}

# METADATA
# title: Cannot tell which agents are paused
# description: the list of paused agents cannot be read, so any agent may be paused
# custom:
#   code: agent.pause_unknown
#   message: 'cannot tell which agents are paused: %s'
#   fix: repair agents.json in the state directory, then send SIGHUP to gavel serve
refused contains reason.from(rego.metadata.rule(), [object.get(input, ["pause", "why"], "the fact is missing")], {}) if {
	not _pause_known
}

_speaks_for_agent if {
	input.caller.kind in {"gateway", "agent"}
	some pattern in input.caller.agents
	_pattern_names_agent(pattern)
}

_pattern_names_agent("*")

_pattern_names_agent(pattern) if pattern == input.agent.id

_pattern_names_agent(pattern) if {
	contains(pattern, "*")
	glob.match(regex.replace(pattern, `[\[\]{}?\\!]`, `\$0`), null, input.agent.id)
}

_pause_known if input.pause.state in {"", "paused"}

# A session key that names no agent may belong to any agent.
_own_session if input.caller.sessionAgent == ""

_own_session if input.caller.sessionAgent == input.agent.id

_id := object.get(input, ["agent", "id"], "")

_credential := object.get(input, ["caller", "name"], "")

_session_agent := object.get(input, ["caller", "sessionAgent"], "?")

_sessions := concat(", ", [sprintf("%q", [prefix]) | some prefix in object.get(input, ["caller", "sessions"], [])])

_paused := object.get(input, ["pause", "agent"], "")

default _until := ""

_until := sprintf(" until %s", [input.pause.until]) if input.pause.until != ""
