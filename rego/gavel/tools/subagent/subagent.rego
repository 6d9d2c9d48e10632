# METADATA
# title: Subagent steps
# description: |
#   Step 9: the tools that a spawned agent loses (TOOLS-8, R9). Every subagent loses
#   deny_always; a leaf also loses deny_leaf. An exact name in the agent's own tools.allow
#   restores an entry of deny_always; a pattern or a group does not.
# schemas:
#   - input: schema.facts
package gavel.tools.subagent

import data.gavel.catalog.edition
import data.gavel.config
import data.gavel.tools.names
import data.gavel.tools.pipeline
import data.gavel.tools.subjects

# METADATA
# description: the tools that every subagent loses, or null for an orchestrator
step(subject) := pipeline.step("subagent tools.allow", _subagent_allow(subject), {
	"tools": (_denied_to_all(subject) | _denied_to_leaves(subject)),
	"path": "tools.subagents.tools.deny",
	"from": "default",
	"kind": "subagent",
}) if {
	subjects.spawned(subject)
} else := null

# METADATA
# description: |
#   the tools that the agent's own or the global configuration also removes; both apply, each with
#   its own path
configured_step(from, subject) := pipeline.step("subagent tools.allow", null, {
	"tools": names.denied(denied.value),
	"path": denied.path,
	"from": denied.from,
	"kind": "denied",
}) if {
	subjects.spawned(subject)
	denied := _subagent_list(from, subject, "deny")
	denied != null
} else := null

_denied_to_all(subject) := {tool | some tool in edition.subagents.deny_always} - _restored(subject)

_restored(subject) := {names.normal(entry) |
	edition.subagents.restores == true
	some entry in config.section(["agents", subject.id, "tools", "allow"])
}

_denied_to_leaves(subject) := {tool | some tool in edition.subagents.deny_leaf} if {
	not subject.depth < _max_depth(subject)
} else := set()

# The smaller of the gateway's limit and the configured one.
_max_depth(subject) := min(limits) if {
	limits := _stated_limit(subject) | _configured_limit(subject)
	count(limits) > 0
} else := edition.subagents.max_spawn_depth

_stated_limit(subject) := {subject.max_depth | subject.max_depth > 0}

_configured_limit(subject) := {limit | limit := config.agent_setting(subject.id, ["subagents", "maxSpawnDepth"]).value}

# The agent's allow list replaces the global one.
_subagent_allow(subject) := {
	"tools": names.selected(array.concat(allow.value, also)),
	"path": allow.path,
	"from": allow.from,
	"resolution": null,
} if {
	lists := [list | some list in [_subagent_list(from, subject, "allow") | some from in ["agent", "global"]]; list != null; count(list.value) > 0]
	allow := lists[0]
	added := [list.value | some list in [_subagent_list(from, subject, "alsoAllow") | some from in ["agent", "global"]]; list != null]
	also := array.concat(added, [[]])[0]
} else := null

_subagent_list("agent", subject, key) := found if {
	found := config.agent_setting(subject.id, ["tools", "subagents", "tools", key])
} else := null

_subagent_list("global", _, key) := {"value": list, "path": sprintf("tools.subagents.tools.%s", [key]), "from": "global"} if {
	list := config.section(["tools", "subagents", "tools", key])
	is_array(list)
} else := null
