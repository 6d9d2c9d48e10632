# Step 9: what a spawned agent loses (document 000 §05b, R9). Every subagent loses
# deny_always, a leaf deny_leaf as well. An exact name in the agent's own
# tools.allow lifts an entry of deny_always; a pattern or a group does not.
package gavel.tools

import data.gavel.config

# METADATA
# description: the subagent step, or null for an orchestrator
subagent_step(subject) := step("subagent tools.allow", _subagent_allow(subject), {
	"tools": union({_always(subject), _leaf(subject), denied.tools}),
	"path": denied.path,
	"from": denied.from,
	"kind": "subagent",
}) if {
	not subject.depth == 0
	denied := _configured_deny(subject)
} else := null

_always(subject) := {tool | some tool in data.gavel.catalog.subagents.deny_always} - _lifted(subject)

_lifted(subject) := {normal(entry) |
	some entry in config.section(["agents", subject.id, "tools", "allow"])
}

_leaf(subject) := {tool | some tool in data.gavel.catalog.subagents.deny_leaf} if {
	not subject.depth < _max_depth(subject)
} else := set()

# The smallest of what the gateway and the configuration say.
_max_depth(subject) := min(limits) if {
	limits := _said(subject) | _set(subject)
	count(limits) > 0
} else := data.gavel.catalog.subagents.max_spawn_depth

_said(subject) := {subject.max_depth | subject.max_depth > 0}

_set(subject) := {limit | limit := config.agent_setting(subject.id, ["subagents", "maxSpawnDepth"]).value}

# The deny lists of the agent and of everybody add up.
_configured_deny(subject) := {"tools": selected(entries), "path": path, "from": from} if {
	unset := {"value": [], "path": "tools.subagents.tools.deny", "from": "default"}
	lists := [list | some list in [_own_list(subject, "deny"), _everybodys("deny"), unset]; list != null]
	entries := [entry | some list in lists; some entry in list.value]
	path := lists[0].path
	from := lists[0].from
}

# An allow list of the agent replaces the one for everybody.
_subagent_allow(subject) := {
	"tools": with_exec(selected(array.concat(allow.value, also)), subject),
	"path": allow.path,
	"from": allow.from,
	"resolution": null,
} if {
	lists := [list | some list in [_own_list(subject, "allow"), _everybodys("allow")]; list != null; count(list.value) > 0]
	allow := lists[0]
	added := [list.value | some list in [_own_list(subject, "alsoAllow"), _everybodys("alsoAllow")]; list != null]
	also := array.concat(added, [[]])[0]
} else := null

_own_list(subject, key) := found if {
	found := config.agent_setting(subject.id, ["tools", "subagents", "tools", key])
} else := null

_everybodys(key) := {"value": list, "path": sprintf("tools.subagents.tools.%s", [key]), "from": "global"} if {
	list := config.section(["tools", "subagents", "tools", key])
	is_array(list)
} else := null
