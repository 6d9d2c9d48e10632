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
	"tools": (_always(subject) | _leaf(subject)),
	"path": "tools.subagents.tools.deny",
	"from": "default",
	"kind": "subagent",
}) if {
	subjects.spawned(subject)
} else := null

# METADATA
# description: |
#   the tools that the agent's own and the global configuration remove besides; both apply,
#   each with its own path
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

_always(subject) := {tool | some tool in edition.subagents.deny_always} - _lifted(subject)

_lifted(subject) := {names.normal(entry) |
	edition.subagents.restores == true
	some entry in config.section(["agents", subject.id, "tools", "allow"])
}

_leaf(subject) := {tool | some tool in edition.subagents.deny_leaf} if {
	not subject.depth < _max_depth(subject)
} else := set()

# The smaller of the gateway's limit and the configured one.
_max_depth(subject) := min(limits) if {
	limits := _said(subject) | _set(subject)
	count(limits) > 0
} else := edition.subagents.max_spawn_depth

_said(subject) := {subject.max_depth | subject.max_depth > 0}

_set(subject) := {limit | limit := config.agent_setting(subject.id, ["subagents", "maxSpawnDepth"]).value}

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
