# The agents whose rights bound a call: the agent itself, and everyone who spawned
# it (R10). A subject is {"id", "depth", "max_depth", "sandboxed"}; facts that are
# missing read as whatever permits least.
package gavel.tools

import data.gavel.config

# METADATA
# description: the agent that makes the call
self := {
	"id": object.get(input, ["agent", "id"], ""),
	"depth": object.get(input, ["agent", "depth"], "unknown"),
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

_self_sandboxed if not input.agent.sandboxed == false

_self_sandboxed if {
	_mode_sandboxes(object.get(input, ["agent", "id"], ""), object.get(input, ["agent", "depth"], "unknown"))
}

default _self_sandboxed := false

# METADATA
# description: the configured mode puts this agent into a sandbox (document 000 §13)
_mode_sandboxes(id, depth) if {
	mode := _sandbox_mode(id)
	_sandboxing(mode, depth)
} else := false

_sandboxing("all", _)

_sandboxing("non-main", depth) if not depth == 0

_sandbox_mode(id) := "off" if {
	config.agent_setting(id, ["sandbox", "enabled"]).value == false
} else := mode if {
	mode := config.setting(id, ["sandbox", "mode"], ["sandboxing", "mode"]).value
} else := "all" if {
	config.agent_setting(id, ["sandbox", "enabled"]).value == true
} else := "off"
