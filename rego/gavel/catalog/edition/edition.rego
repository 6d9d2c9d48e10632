# METADATA
# title: Edition of the catalog
# description: |
#   Which catalog of OpenClaw is in force (tools.catalog), and its tables. documents is the
#   default: the tables of the documents, with every name of a newer catalog known and placed
#   at least as strictly.
package gavel.catalog.edition

import data.gavel.config

# METADATA
# description: the value of tools.catalog
name := object.get(config.section(["tools"]), "catalog", "documents")

# METADATA
# description: every edition that exists
known := {"documents"} | object.keys(data.gavel.catalog.editions)

# METADATA
# description: every tool of the catalog in force
core_tools := _documented if {
	not _table
} else := _documented | object.keys(_table.tools)

_documented := object.keys(data.gavel.catalog.tools) | {tool | some tool in data.gavel.catalog.ungrouped}

# METADATA
# scope: document
# description: names of tools that only newer catalogs have
newer contains tool if {
	some edition in data.gavel.catalog.editions
	some tool, _ in edition.tools
	not tool in _documented
}

# METADATA
# scope: document
# description: the tools of each group
groups[group] contains tool if some tool, group in _tools

groups[group] contains tool if {
	some group, parts in data.gavel.catalog.combined_groups
	some tool, of in _tools
	some part in parts
	part in {tool, of}
	not tool in object.get(_in_force, "outside_openclaw", [])
}

groups["group:openclaw"] contains tool if {
	some tool, _ in _in_force.tools
	not tool in _in_force.outside_openclaw
}

_tools := object.union(data.gavel.catalog.tools, object.get(_in_force, "tools", {}))

# METADATA
# scope: document
# description: the tools that a group stands for in deny lists in addition, so that it denies newer tools too
denied_groups[group] contains tool if {
	some edition in data.gavel.catalog.editions
	some tool, group in edition.tools
	tool in newer
}

denied_groups["group:openclaw"] contains tool if {
	some edition in data.gavel.catalog.editions
	some tool, _ in edition.tools
	tool in newer
	not tool in edition.outside_openclaw
}

# METADATA
# description: the built-in profiles
profiles := object.get(_in_force, "profiles", data.gavel.catalog.profiles)

# METADATA
# description: the tools that a section of the configuration adds to the profile
implied := object.get(_in_force, "implied", data.gavel.catalog.implied)

# METADATA
# description: tools that only the owner may use, in every edition
owner_only := {tool | some tool in data.gavel.catalog.owner_only} | {tool | some edition in data.gavel.catalog.editions; some tool in edition.owner_only}

# METADATA
# description: what a sandboxed agent may use, and may never use, unless configured otherwise
sandbox := {
	"allow": object.get(_in_force, ["sandbox", "allow"], data.gavel.catalog.sandbox.allow),
	"deny": array.concat(data.gavel.catalog.sandbox.deny, sort({tool | some edition in data.gavel.catalog.editions; some tool in edition.sandbox.deny})),
}

# METADATA
# description: the tools that subagents lose, whether the agent's own list restores any, and the greatest depth
subagents := _in_force.subagents if {
	_table
} else := {
	"deny_always": array.concat(data.gavel.catalog.subagents.deny_always, _newer_denied("deny_always")),
	"deny_leaf": array.concat(data.gavel.catalog.subagents.deny_leaf, _newer_denied("deny_leaf")),
	"restores": true,
	"max_spawn_depth": data.gavel.catalog.subagents.max_spawn_depth,
}

_newer_denied(key) := sort({tool | some edition in data.gavel.catalog.editions; some tool in edition.subagents[key]; tool in newer})

_table := data.gavel.catalog.editions[name]

default _in_force := {}

_in_force := data.gavel.catalog.editions[name]
