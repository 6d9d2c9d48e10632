# METADATA
# title: Agents that restrict a call
# description: |
#   The agents whose rights limit a call: the agent itself and its ancestors (R10). A subject
#   is {"id", "depth", "max_depth", "sandboxed"}. A missing fact is read as the value that
#   permits least.
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
# description: the agent's ancestors, nearest first
parents := [parent |
	some fact in object.get(input, ["agent", "parents"], [])
	parent := {
		"id": object.get(fact, "id", ""),
		"depth": object.get(fact, "depth", "unknown"),
		"max_depth": object.get(input, ["agent", "maxDepth"], 1),
		"sandboxed": _sandboxed_by_mode(object.get(fact, "id", ""), object.get(fact, "depth", "unknown")),
	}
]

# An unstated depth is unknown and counts as a subagent at the deepest level (R43). If a
# gateway states no depth, the agent counts as a main agent, as long as the configuration has
# no settings for subagents.
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

_self_sandboxed if _sandboxed_by_mode(object.get(input, ["agent", "id"], ""), _stated_depth)

# Where only some agents run in a sandbox, an agent that does not say may be in one.
_self_sandboxed if {
	not input.stated.sandboxed == true
	_sandbox_mode(object.get(input, ["agent", "id"], "")) == "non-main"
}

# A gateway may run agents in a sandbox although no mode is set. If the configuration has tool
# lists for sandboxes, they apply to an agent that does not say (R43).
_sandbox_unknown if {
	not input.stated.sandboxed == true
	id := object.get(input, ["agent", "id"], "")
	not without_sandbox(id)
	config.setting(id, ["tools", "sandbox", "tools"], ["tools", "sandbox", "tools"])
}

# METADATA
# scope: document
# description: the configuration, or how gavel was started, runs this agent in no sandbox
without_sandbox(_) if _switched_off_by_flag

without_sandbox(id) if config.agent_setting(id, ["sandbox", "enabled"]).value == false

without_sandbox(id) if config.setting(id, ["sandbox", "mode"], ["sandboxing", "mode"]).value == "off"

# The configured mode sandboxes this agent (SANDBOX-1).
_sandboxed_by_mode(id, depth) if {
	mode := _sandbox_mode(id)
	_mode_covers(mode, depth)
} else := false

_mode_covers("all", _)

# Not a comparison with 0, so a value that is not a number does not count as the top level.
# regal ignore:equals-pattern-matching
_mode_covers("non-main", depth) if not depth == 0

_sandbox_mode(id) := "off" if {
	_switched_off_by_flag
} else := "off" if {
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
# description: the agent may be one that another agent spawned
spawned(subject) if not subject.depth == 0

# --no-sandbox
_switched_off_by_flag if config.override("sandbox").value == "off"
