# METADATA
# title: Entries without effect
# description: Entries of a configuration that change nothing. Each is a warning of gavel check.
package gavel.check.dead

import data.gavel.catalog
import data.gavel.catalog.edition
import data.gavel.check.locations
import data.gavel.config
import data.gavel.tools.names

# METADATA
# scope: document
# description: what has no effect, each {"path", "message", "fix"}
warnings contains {
	"path": sprintf("%s[%d]", [concat(".", path), i]),
	"message": sprintf("%q has no effect: %s removes it", [entry, concat(".", denying)]),
	"fix": "delete the entry, or take it off the deny list",
} if {
	some path, allowed in locations.tool_lists
	path[count(path) - 1] in {"allow", "alsoAllow"}
	denying := array.concat(array.slice(path, 0, count(path) - 1), ["deny"])
	denied := [pattern | some pattern in locations.tool_lists[denying]; is_string(pattern)]
	some i, entry in allowed
	is_string(entry)
	every tool in names.expanded(names.normal(entry)) {
		_removed(denied, tool)
	}
}

warnings contains {
	"path": "approvals.exec.targets",
	"message": "no question is sent to a target: approvals.exec.enabled is not true",
	"fix": "set enabled: true, or delete the targets",
} if {
	count(_approvals.targets) > 0
	not _approvals.enabled
}

warnings contains {
	"path": "approvals.exec.targets",
	"message": "no question is sent to a target: approvals.exec.mode is session",
	"fix": "set mode: targets or mode: both, or delete the targets",
} if {
	count(_approvals.targets) > 0
	_approvals.enabled
	object.get(_approvals, "mode", "session") == "session"
}

# Settings that permit commands, although security is deny. They have an effect if an agent has
# another security.
warnings contains {
	"path": sprintf("%s.%s", [section.path, key]),
	"message": sprintf("this permits nothing: %s.security is deny", [section.path]),
	"fix": "set security to allowlist, or delete the setting",
} if {
	some section in locations.exec_sections
	section.value.security == "deny"
	some key in ["allowlist", "packs", "safeBins"]
	count(section.value[key]) > 0
	not _agents_run_commands(section.path)
}

# If the global list is empty, the lists of agents permit nobody (R31).
warnings contains {
	"path": path,
	"message": "nobody may use elevated mode: tools.elevated.allowFrom names no sender",
	"fix": "name senders there, as in allowFrom: {discord: [\"123\"]}, or delete the setting",
} if {
	elevated := config.section(["tools", "elevated"])
	count(object.get(elevated, "allowFrom", [])) == 0
	some path in ({"tools.elevated.enabled" | elevated.enabled == true} | {regex.replace(entry.path, `\[[0-9]+\]$`, "") |
		some entry in locations.elevators
		startswith(entry.path, "agents.")
	})
}

# The tools of plugins and MCP servers are unknown here, so an entry for them may match.
warnings contains {
	"path": location.path,
	"message": sprintf("%q matches no tool that Gavel knows", [location.value]),
	"fix": "nothing, if it is for tools of a plugin; a tool of an MCP server is mcp:<server>/<tool>, as in mcp:github/*",
} if {
	some location in locations.patterns
	pattern := names.normal(location.value)
	contains(pattern, "*")
	not _matching(pattern)
}

warnings contains {
	"path": location.path,
	"message": sprintf("%q matches no tool: it names no tool of the MCP server", [location.value]),
	"fix": sprintf("write %s/* for every tool of the server", [pattern]),
} if {
	some location in locations.patterns
	pattern := names.normal(location.value)
	names.is_mcp(pattern)
	not contains(pattern, "*")
	not contains(pattern, "/")
	pattern != "group:mcp"
}

_agents_run_commands("tools.exec") if {
	some section in locations.exec_sections
	section.value.security in {"allowlist", "full"}
}

_approvals := config.section(["approvals", "exec"])

_matching(pattern) if names.is_mcp(pattern)

_matching(pattern) if {
	some name in ((edition.core_tools | edition.newer) | {id | some id in catalog.sandbox.deny})
	names.matches(pattern, name)
}

_removed(denied, tool) if {
	some entry in denied
	some pattern in names.expanded(names.normal(entry))
	names.matches(pattern, tool)
}
