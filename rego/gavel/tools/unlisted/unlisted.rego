# METADATA
# title: Tools that nobody knows
# description: |
#   Tools that neither the catalog nor a loaded plugin knows. What such a tool can do,
#   nobody has said: a pattern such as * must not hand it to everybody. It is for the
#   owner only, and for no subagent, until an allow list names it.
# schemas:
#   - input: schema.facts
package gavel.tools.unlisted

import data.gavel.catalog
import data.gavel.config
import data.gavel.tools.names
import data.gavel.tools.pipeline
import data.gavel.tools.profiles
import data.gavel.tools.subjects

# METADATA
# description: the step that removes tools which nobody knows and no list names, or null
step(subject) := pipeline.step("unlisted tools", null, {
	"tools": taken,
	"path": "tools.allow",
	"from": "default",
	"kind": "unlisted",
}) if {
	_for_owners_only(subject)
	taken := _unknown - _listed(subject)
	count(taken) > 0
} else := null

_unknown := (names.universe - catalog.core_tools) - names.plugin_tools

_for_owners_only(_) if not input.sender.owner == true

_for_owners_only(subject) if subjects.spawned(subject)

# The unknown tools that the allow lists of an agent give in full, and those that begin
# with a namespace which they give in full: mcp__github__* names the tools of one server.
_listed(subject) := {name | some name in _unknown; some entry in _entries(subject); _names(entry, name)}

_names(entry, name) if entry == name

_names(entry, name) if {
	endswith(entry, "__*")
	namespace := trim_suffix(entry, "*")
	not contains(namespace, "*")
	startswith(name, namespace)
}

_entries(subject) := {names.normal(entry) |
	sections := array.concat([config.section(["tools"])], [object.get(scope.value, "tools", {}) | some scope in config.scopes(subject.id)])
	lists := [object.get(section, keys, []) |
		some section in sections
		some keys in [["allow"], ["alsoAllow"], ["subagents", "tools", "allow"], ["subagents", "tools", "alsoAllow"]]
	]
	some list in array.concat(lists, [profiles.tools(profiles.of(subject).value)])
	some entry in list
}
