# METADATA
# title: Elevated settings
# description: |
#   Who may leave the sandbox, by the configuration (ELEVATED-1, ELEVATED-2). It depends on the
#   agent only and belongs to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.elevated.settings

import data.gavel.config

# METADATA
# description: |
#   default: the level where nobody has set one. off: the paths of the settings that turn
#   elevated mode off. lists: each list of senders that must name the sender, as {"path",
#   "channels": {channel: entries}}, where the channel "" stands for any
configured := {
	"default": _default,
	"off": [sprintf("%s.enabled", [scope.path]) | some scope in _scopes; object.get(scope.value, "enabled", true) != true],
	"lists": [{"path": sprintf("%s.allowFrom", [scope.path]), "channels": _channels(scope.value.allowFrom)} |
		some scope in _scopes
		scope.value.allowFrom
	],
	"global": count(object.get(_global, "allowFrom", [])) > 0,
}

# Without a value, a call that asks for it by itself is asked about.
_default := config.section(["agents", "defaults", "elevatedDefault"])

_global := config.section(["tools", "elevated"])

_scopes := array.concat(
	[{"path": "tools.elevated", "value": _global}],
	[{"path": sprintf("%s.tools.elevated", [scope.path]), "value": scope.value.tools.elevated} | some scope in config.scopes(input.agent.id)],
)

_channels(list) := {"": [_entry(text) | some text in list]} if is_array(list)

_channels(list) := {lower(trim_space(channel)): [_entry(sprintf("%v", [text])) | some text in texts] |
	some channel, texts in list
} if {
	is_object(list)
}

# An entry in parts: the part of the sender's identity that it names, "" for an id of any
# kind, and the value.
_entry(text) := {"part": "*", "value": ""} if {
	trim_space(text) == "*"
} else := {"part": found[0][1], "value": _value(found[0][1], lower(trim_space(found[0][2])))} if {
	found := regex.find_all_string_submatch_n(`^\s*([a-z0-9]+)\s*:(.*)$`, lower(text), 1)
	found[0][1] in data.gavel.catalog.elevated.parts
} else := {"part": "", "value": lower(trim_space(text))}

# A tag with the number 0 is that of a name that needs none, as the analyzer says.
_value("tag", text) := trim_suffix(text, "#0")

_value(part, text) := text if part != "tag"
