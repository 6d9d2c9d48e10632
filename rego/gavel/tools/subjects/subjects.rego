# METADATA
# title: Agents that bound a call
# description: |
#   The agents whose rights bound a call: the agent itself, and everyone who spawned
#   it (R10). A subject is {"id", "depth", "max_depth", "sandboxed"}; facts that are
#   missing read as whatever permits least.
# schemas:
#   - input: schema.facts
package gavel.tools.subjects

import data.gavel.config

# METADATA
# description: the agent that makes the call
self := {
	"id": object.get(input, ["agent", "id"], ""),
	"depth": _self_depth,
	"max_depth": object.get(input, ["agent", "maxDepth"], 1),
	"sandboxed": _self_sandboxed,
}

# METADATA
# description: everyone who spawned it, nearest first
parents := [parent |
	some fact in object.get(input, ["agent", "parents"], [])
	parent := {
		"id": object.get(fact, "id", ""),
		"depth": object.get(fact, "depth", "unknown"),
		"max_depth": object.get(input, ["agent", "maxDepth"], 1),
		"sandboxed": _mode_sandboxes(object.get(fact, "id", ""), object.get(fact, "depth", "unknown")),
	}
]

# A depth that was not stated is unknown, which is a subagent at the deepest level (R43).
# A gateway that states none speaks of an agent that nobody spawned, as long as the
# configuration says nothing about subagents.
default _self_depth := "unknown"

_self_depth := _stated_depth if {
	_stated_depth != "unknown"
} else := input.agent.depth if {
	input.stated.byGateway == true
	not _subagents_configured
}

default _stated_depth := "unknown"

_stated_depth := input.agent.depth if {
	input.stated.depth == true
}

_subagents_configured if {
	keys := ["tools", "subagents", "tools"]
	config.setting(object.get(input, ["agent", "id"], ""), keys, keys)
}

default _self_sandboxed := false

_self_sandboxed if not input.agent.sandboxed == false

_self_sandboxed if _mode_sandboxes(object.get(input, ["agent", "id"], ""), _stated_depth)

# Where some agents run in a sandbox and others do not, one that does not say may be in one.
_self_sandboxed if {
	not input.stated.sandboxed == true
	_sandbox_mode(object.get(input, ["agent", "id"], "")) == "non-main"
}

# The gateway may run agents in a sandbox although no mode is set. Where the configuration
# has lists of tools for it, they hold for an agent that does not say (R43).
_sandbox_unknown if {
	not input.stated.sandboxed == true
	id := object.get(input, ["agent", "id"], "")
	not _mode_is_off(id)
	config.setting(id, ["tools", "sandbox", "tools"], ["tools", "sandbox", "tools"])
}

_mode_is_off(id) if config.agent_setting(id, ["sandbox", "enabled"]).value == false

_mode_is_off(id) if config.setting(id, ["sandbox", "mode"], ["sandboxing", "mode"]).value == "off"

# The configured mode puts this agent into a sandbox (SANDBOX-1).
_mode_sandboxes(id, depth) if {
	mode := _sandbox_mode(id)
	_sandboxing(mode, depth)
} else := false

_sandboxing("all", _)

# Not a comparison with 0: what is not a number is no top level either.
# regal ignore:equals-pattern-matching
_sandboxing("non-main", depth) if not depth == 0

_sandbox_mode(id) := "off" if {
	config.agent_setting(id, ["sandbox", "enabled"]).value == false
} else := mode if {
	mode := config.setting(id, ["sandbox", "mode"], ["sandboxing", "mode"]).value
} else := "all" if {
	config.agent_setting(id, ["sandbox", "enabled"]).value == true
} else := "off"

# METADATA
# scope: document
# description: the agent runs in a sandbox, or may do so
in_sandbox(subject) if subject.sandboxed

in_sandbox(subject) if {
	_sandbox_unknown
	subject == self
}

# METADATA
# description: the agent is not known to be one that nobody spawned
spawned(subject) if not subject.depth == 0
