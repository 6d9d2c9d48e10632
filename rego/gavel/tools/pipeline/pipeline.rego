# METADATA
# title: Step constructors
# description: |
#   The parts of a step in the tool pipeline: a label, what its allow list keeps, and what its
#   deny list removes, each with the configuration path that it was read from.
# schemas:
#   - input: schema.facts
package gavel.tools.pipeline

import data.gavel.config
import data.gavel.tools.names

# METADATA
# description: a step that keeps an allow list and removes a deny list
step(label, allow, deny) := {
	"label": label,
	"allow": allow,
	"deny": object.union(deny, {"tools": with_others(deny.tools)}),
}

# METADATA
# description: this part of a step denies nothing
denies_nothing := {"tools": set(), "path": "", "from": "default", "kind": "denied"}

# METADATA
# description: what a deny list removes, including tools that do the same under another name (R7)
with_others(denied) := denied | {other |
	some name, others in data.gavel.catalog.denied_with
	name in denied
	some other in others
}

# METADATA
# description: |
#   the configuration path to which a removed tool can be added. Setting an allow list would
#   replace the default list, so a tool that the default list lacks is added to alsoAllow.
where_to_add(removed) := sprintf("%s.alsoAllow", [trim_suffix(removed.path, ".profile")]) if {
	endswith(removed.path, ".profile")
} else := sprintf("%s.alsoAllow", [trim_suffix(removed.path, ".allow")]) if {
	endswith(removed.path, ".allow")
	removed.from == "default"
} else := removed.path if {
	endswith(removed.path, ".allow")
} else := "tools.alsoAllow"

# METADATA
# description: the step for a section with allow, alsoAllow and deny (TOOLS-3)
section_step(label, section) := step(label, _allow(label, section), {
	"tools": names.denied(object.get(section.value, "deny", [])),
	"path": sprintf("%s.deny", [section.path]),
	"from": section.from,
	"kind": "denied",
})

_allow(label, section) := {
	"tools": tools,
	"path": path,
	"from": section.from,
	"resolution": {
		"step": label,
		"path": path,
		"policy": sort(policy),
		"unknownAllowlist": sort({entry | some entry in entries; names.entry_kind(entry) == "unknown"}),
		"strippedAllowlist": stripped,
	},
} if {
	entries := {names.normal(entry) | some entry in object.get(section.value, "allow", [])}
	count(entries) > 0
	stripped := _plugin_only(entries)
	also := {names.normal(entry) | some entry in object.get(section.value, "alsoAllow", [])}
	policy := _in_force(entries | also, stripped)
	tools := _kept_tools(policy, stripped)
	path := sprintf("%s.allow", [section.path])
} else := null

# An allow list with plugin entries only is dropped, because it would remove every core tool (R6).
_plugin_only(entries) if {
	every entry in entries { names.entry_kind(entry) == "plugin" }
	object.get(config.section(["tools"]), "pluginOnlyAllowlist", "strip") == "strip"
} else := false

_in_force(_, true) := set()

_in_force(entries, false) := entries

_kept_tools(_, true) := null

_kept_tools(policy, false) := names.selected(policy)
