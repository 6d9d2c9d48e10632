# METADATA
# title: Check
# description: |
#   What is wrong with a configuration, and what is strange about it; gavel check prints
#   it. The schema settles shapes; the rules here settle names that refer to something,
#   which no schema can.
package gavel.check

import data.gavel.catalog
import data.gavel.check.broad
import data.gavel.check.dead
import data.gavel.check.places
import data.gavel.check.safebins
import data.gavel.tools.profiles

# METADATA
# scope: document
# description: |
#   the configuration was checked and has no problem. A snapshot checks it once,
#   when it is made, and says so in the context that it computes the frozen part of; stock OPA checks it here.
valid if input.snapshot

valid if {
	not input.snapshot
	count(problems) == 0
}

# METADATA
# scope: document
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
	"candidates": sort(profiles.known),
	"fix": "use a profile that exists, or define it under tools.profiles",
} if {
	some place in places.profile_names
	not place.value in profiles.known
}

problems contains {
	"path": place.path,
	"message": sprintf("unknown group %q", [place.value]),
	"value": place.value,
	"candidates": sort(_groups),
	"fix": "use a group that exists, or name the tools; a group is not a pattern",
} if {
	some place in places.patterns
	startswith(places.folded(place.value), "group:")
	not places.folded(place.value) in _groups
}

problems contains {
	"path": sprintf("%s.%s", [place.path, key]),
	"message": sprintf("%q is no kind of sender", [kind]),
	"value": kind,
	"candidates": ["channel", "e164", "id", "name", "username"],
	"fix": sprintf("use one of the kinds; a sender whose id is %s is id:%s", [key, key]),
} if {
	some place in places.sender_lists
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
	some place in places.group_lists
	place.channel in catalog.channels.ids_without_case
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
	some place in places.patterns
	name := places.folded(place.value)
	not contains(name, "*")
	not startswith(name, "group:")
	not name in _tool_names
}

_groups := object.keys(catalog.groups) | {"group:plugins"}

_tool_names := ((catalog.core_tools | object.keys(catalog.aliases)) | channel_ids) | {"*"}

# METADATA
# description: the ids of channels, which name tools as well
channel_ids := {name | some name in catalog.sandbox.deny} - catalog.core_tools

# METADATA
# description: things that are allowed and deserve a second look, each {"path", "message", "fix"}
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

# Reading the schema is most of the work: it is done once.
_compared := json.match_schema(data.config, data.gavel.config.schema)
