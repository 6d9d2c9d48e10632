# METADATA
# title: Unknown tools
# description: |
#   Tools that neither the catalog nor a loaded plugin has. It is unknown what such a tool can do,
#   so a pattern such as * must not allow it to everyone. Until an allow list names it, only the
#   owner may call it, and subagents may not.
# schemas:
#   - input: schema.facts
package gavel.tools.unlisted

import data.gavel.catalog.edition
import data.gavel.config
import data.gavel.tools.names
import data.gavel.tools.pipeline
import data.gavel.tools.profiles
import data.gavel.tools.subjects

# METADATA
# description: the step that removes unknown tools that no list names, or null
step(subject) := pipeline.step("unlisted tools", null, {
	"tools": taken,
	"path": "tools.allow",
	"from": "default",
	"kind": "unlisted",
}) if {
	_owner_only(subject)
	taken := _unknown - _listed(subject)
	count(taken) > 0
} else := null

_unknown := (names.universe - edition.core_tools) - names.plugin_tools

_owner_only(_) if not input.sender.owner == true

_owner_only(subject) if subjects.spawned(subject)

# The unknown tools that an agent's allow lists name in full, those in a namespace that the
# lists name in full, as in github__*, and those of MCP servers that an entry for such tools
# matches: mcp:github/* names the tools of one server, and group:mcp those of all.
_listed(subject) := {name | some name in _unknown; some entry in _entries(subject); _entry_names(entry, name)}

_entry_names(entry, name) if entry == name

_entry_names(entry, name) if {
	endswith(entry, "__*")
	namespace := trim_suffix(entry, "*")
	not contains(namespace, "*")
	startswith(name, namespace)
}

_entry_names(entry, name) if {
	names.is_mcp(entry)
	some pattern in names.expanded(entry)
	names.matches(pattern, name)
}

_entries(subject) := {names.normal(entry) |
	sections := array.concat([config.section(["tools"])], [object.get(scope.value, "tools", {}) | some scope in config.scopes(subject.id)])
	lists := [object.get(section, keys, []) |
		some section in sections
		some keys in [["allow"], ["alsoAllow"], ["subagents", "tools", "allow"], ["subagents", "tools", "alsoAllow"]]
	]
	started := [tool.value | some tool in config.overriding_tools("allow")]
	some list in array.concat(lists, [profiles.tools(profiles.of(subject).value), started])
	some entry in list
}
