# What is wrong with a configuration. The schema settles shapes; the rules here
# settle names that refer to something, which no schema can.
package gavel.config

import data.gavel.catalog

# METADATA
# description: |
#   everything that makes the configuration unusable, each {"path", "message",
#   "value", "candidates", "fix"}. With any of them, nothing is permitted.
problems contains {
	"path": "",
	"message": sprintf("%s: %s", [violation.field, violation.desc]),
	"value": "",
	"candidates": [],
	"fix": "compare the configuration with rego/schema/config.json",
} if {
	some violation in _violations
}

problems contains {
	"path": place.path,
	"message": sprintf("unknown profile %q", [place.value]),
	"value": place.value,
	"candidates": sort(profile_names),
	"fix": "use a profile that exists, or define it under tools.profiles",
} if {
	some place in _profile_places
	not place.value in profile_names
}

problems contains {
	"path": place.path,
	"message": sprintf("unknown group %q", [place.value]),
	"value": place.value,
	"candidates": sort(_groups),
	"fix": "use a group that exists, or name the tools; a group is no pattern",
} if {
	some place in pattern_places
	startswith(_folded(place.value), "group:")
	not _folded(place.value) in _groups
}

problems contains {
	"path": sprintf("%s.%s", [place.path, key]),
	"message": sprintf("%q is no kind of sender", [kind]),
	"value": kind,
	"candidates": ["channel", "e164", "id", "name", "username"],
	"fix": sprintf("use one of the kinds; a sender whose id is %s is id:%s", [key, key]),
} if {
	some place in _sender_places
	some key, _ in place.value
	regex.match(`^[a-z0-9_-]+:`, key)
	kind := split(key, ":")[0]
	not kind in {"channel", "e164", "id", "name", "username"}
}

problems contains {
	"path": sprintf("%s.%s", [place.path, key]),
	"message": sprintf("the group %q stands here twice: in %s an id means the same in any case", [key, place.channel]),
	"value": key,
	"candidates": [],
	"fix": "join the two entries",
} if {
	some place in _group_places
	place.channel in data.gavel.catalog.channels.ids_without_case
	some key, _ in place.value
	some other, _ in place.value
	other < key
	lower(other) == lower(key)
}

# METADATA
# description: |
#   entries that no core tool answers to. They are right for tools of plugins, which
#   only a call knows, and wrong for a misspelt core tool: candidates tell.
unknown_tools contains {"path": place.path, "value": place.value, "candidates": sort(_tool_names)} if {
	some place in pattern_places
	name := _folded(place.value)
	not contains(name, "*")
	not startswith(name, "group:")
	not name in _tool_names
}

# METADATA
# description: things that are allowed and deserve a second look, each {"path", "message", "fix"}
warnings contains {
	"path": place.path,
	"message": sprintf("pattern %q has no / and never matches: an allowlist is compared with full paths", [place.value]),
	"fix": sprintf("write the full path, or **/%s", [place.value]),
} if {
	some place in _allowlist_places
	not regex.match(`[/~]`, place.value)
	place.value != "*"
}

warnings contains {
	"path": place.path,
	"message": "pattern \"*\" permits every program that exists",
	"fix": "name the programs, or set security: full and say so",
} if {
	some place in _allowlist_places
	place.value == "*"
}

warnings contains {
	"path": sprintf("%s.%s", [place.path, key]),
	"message": sprintf("%s can be chosen by the sender and proves nothing", [split(key, ":")[0]]),
	"fix": "use id: or e164: instead",
} if {
	some place in _sender_places
	some key, _ in place.value
	split(key, ":")[0] in {"name", "username"}
}

# METADATA
# description: every list of tool patterns, entry by entry, as {"path", "value"}
pattern_places contains {"path": sprintf("%s[%d]", [concat(".", steps), i]), "value": entry} if {
	some steps, list in _lists
	some i, entry in list
	is_string(entry)
}

_lists[path] := list if {
	walk(object.union(_tool_sections, {}), [path, list])
	is_array(list)
	path[count(path) - 1] in {"allow", "alsoAllow", "deny"}
}

_lists[path] := list if {
	some name, list in section(["tools", "profiles"])
	path := ["tools", "profiles", name]
	is_array(list)
}

_tool_sections := {key: value | some key in ["tools", "agents", "channels"]; value := _config[key]}

_profile_places contains {"path": concat(".", path), "value": value} if {
	walk(_tool_sections, [path, value])
	path[count(path) - 1] == "profile"
	is_string(value)
}

_allowlist_places contains {"path": sprintf("%s[%d]", [concat(".", path), i]), "value": _pattern(entry)} if {
	walk(_tool_sections, [path, list])
	path[count(path) - 1] == "allowlist"
	some i, entry in list
}

_pattern(entry) := entry if is_string(entry)

_pattern(entry) := entry.pattern if is_object(entry)

_sender_places contains {"path": concat(".", path), "value": value} if {
	walk(_tool_sections, [path, value])
	path[count(path) - 1] == "toolsBySender"
}

_group_places contains {"channel": channel, "path": sprintf("channels.%s.groups", [channel]), "value": settings.groups} if {
	some channel, settings in section(["channels"])
}

_group_places contains {"channel": channel, "path": sprintf("channels.%s.accounts.%s.groups", [channel, account]), "value": value.groups} if {
	some channel, settings in section(["channels"])
	some account, value in settings.accounts
}

_groups := object.keys(data.gavel.catalog.groups) | {"group:plugins"}

_tool_names := ((catalog.core_tools | object.keys(data.gavel.catalog.aliases)) | channel_ids) | {"*"}

# METADATA
# description: the ids of channels, which name tools as well
channel_ids := {name | some name in data.gavel.catalog.sandbox.deny} - catalog.core_tools

_folded(name) := lower(trim_space(name))

default _violations := []

_violations := errors if {
	[matched, errors] := _compared
	not matched
}

# A configuration that is no object, or a schema that cannot be read, is a violation too.
_violations := [{"field": "(root)", "desc": "the configuration could not be checked"}] if {
	data.config
	not _compared
}

# Reading the schema is most of the work: it is done once.
_compared := json.match_schema(data.config, data.gavel.config.schema)
