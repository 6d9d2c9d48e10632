# METADATA
# title: Check
# description: |
#   Problems and warnings of a configuration; gavel check prints them. The schema checks
#   shapes. The rules here check names that refer to something else, which no schema can.
package gavel.check

import data.gavel.catalog
import data.gavel.catalog.edition
import data.gavel.check.broad
import data.gavel.check.dead
import data.gavel.check.locations
import data.gavel.check.safebins
import data.gavel.check.sandboxes
import data.gavel.check.verifier
import data.gavel.config
import data.gavel.directives.people
import data.gavel.tools.names
import data.gavel.tools.profiles

# METADATA
# scope: document
# description: |
#   the configuration was checked and has no problem. A snapshot checks it once, when it is
#   built, and says so in the context of its frozen part; stock OPA checks it here.
valid if input.snapshot

valid if {
	not input.snapshot
	count(problems) == 0
}

# METADATA
# scope: document
# description: |
#   everything that makes the configuration unusable, each {"path", "message", "value",
#   "candidates", "fix"}. A configuration with any problem permits nothing.
problems contains {
	"path": "",
	"message": sprintf("%s: %s", [violation.field, violation.desc]),
	"value": "",
	"candidates": [],
	"fix": "correct it as rego/schema/config.json says",
} if {
	some violation in _violations
}

problems contains {
	"path": location.path,
	"message": sprintf("unknown profile %q", [location.value]),
	"value": location.value,
	"candidates": sort(profiles.known),
	"fix": "use a profile that exists, or define it under tools.profiles",
} if {
	some location in locations.profile_names
	not location.value in profiles.known
}

problems contains {
	"path": location.path,
	"message": sprintf("unknown group %q", [location.value]),
	"value": location.value,
	"candidates": sort(_groups),
	"fix": "use a group that exists, or name the tools; a group is not a pattern",
} if {
	some location in locations.patterns
	startswith(locations.folded(location.value), "group:")
	not locations.folded(location.value) in _groups
}

problems contains {
	"path": sprintf("%s.%s", [location.path, key]),
	"message": sprintf("%q is not a kind of sender", [kind]),
	"value": kind,
	"candidates": ["channel", "e164", "id", "name", "username"],
	"fix": sprintf("use one of these kinds; for a sender whose id is %s, write id:%s", [key, key]),
} if {
	some location in locations.sender_lists
	some key, _ in location.value
	regex.match(`^[a-z0-9_-]+:`, key)
	kind := split(key, ":")[0]
	not kind in {"channel", "e164", "id", "name", "username"}
}

problems contains {
	"path": sprintf("%s.%s", [location.path, key]),
	"message": sprintf("the group %q is listed twice: in %s, ids are case-insensitive", [key, location.channel]),
	"value": key,
	"candidates": [],
	"fix": "merge the two entries",
} if {
	some location in locations.group_lists
	location.channel in catalog.channels.ids_without_case
	some key, _ in location.value
	some other, _ in location.value
	other < key
	lower(other) == lower(key)
}

problems contains problem if some problem in verifier.problems
problems contains problem if some problem in sandboxes.problems
problems contains problem if some problem in people.problems

problems contains {
	"path": sprintf("agents.%s.subagents.allowAgents[%d]", [id, i]),
	"message": sprintf("%q is not a configured agent", [name]),
	"value": name,
	"candidates": sort(config.agents),
	"fix": "name a configured agent, or * for all of them",
} if {
	some id, agent in config.section(["agents"])
	some i, name in agent.subagents.allowAgents
	name != "*"
	not config.known_agent(lower(trim_space(name)))
}

problems contains {
	"path": sprintf("%s.mode", [section.path]),
	"message": sprintf("mode %s means %s: %s, but %s is %s here", [mode, key, meant, key, said]),
	"value": mode,
	"candidates": [],
	"fix": sprintf("write mode alone, or %s alone", [key]),
} if {
	some section in locations.exec_sections
	mode := section.value.mode
	some key, meant in catalog.exec.modes[mode]
	said := section.value[key]
	not said == meant
}

# METADATA
# description: |
#   entries that match no core tool. They may name plugin tools, which only a call knows, or
#   be misspelt core tools; the candidates help to tell.
unknown_tools contains {"path": location.path, "value": location.value, "candidates": sort(_tool_names)} if {
	some location in locations.patterns
	name := locations.folded(location.value)
	not contains(name, "*")
	not startswith(name, "group:")
	not names.is_mcp(names.normal(location.value))
	not name in _tool_names
	not name in catalog.host_tools
	not _is_daemon_tool(location.path, name)
	not contains(location.path, "tools.verifier.scope.") # where every unknown tool is a problem already
}

# In an allow list, the name of such a tool counts like that of a plugin tool (R6).
_is_daemon_tool(path, name) if {
	name in catalog.daemon_tools
	not contains(path, ".allow[")
}

_groups := object.keys(edition.groups) | {"group:mcp", "group:plugins"}

_tool_names := (((edition.core_tools | edition.newer) | object.keys(catalog.aliases)) | channel_ids) | {"*"}

# METADATA
# description: |
#   entries with tool names that only newer versions of OpenClaw have; they show for which edition
#   a file is written
newer_tools contains {"path": location.path, "value": location.value} if {
	some location in locations.patterns
	locations.folded(location.value) in (edition.newer | _new_aliases)
}

_new_aliases := {name | some name in catalog.new_names}

# METADATA
# description: the ids of channels, which are names of tools too
channel_ids := {name | some name in catalog.sandbox.deny} - edition.core_tools

# METADATA
# description: valid settings that deserve a second look, each {"path", "message", "fix"}
warnings := (broad.warnings | dead.warnings) | safebins.warnings

default _violations := []

_violations := errors if {
	[matched, errors] := _compared
	not matched
}

# A configuration that is not an object, or a schema that cannot be read, is a violation too.
_violations := [{"field": "(root)", "desc": "the configuration could not be checked"}] if {
	data.config
	not _compared
}

# Reading the schema is most of the work, so it is done once.
_compared := json.match_schema(data.config, config.schema)
