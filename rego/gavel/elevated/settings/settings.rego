# METADATA
# title: Elevated settings
# description: |
#   Who may leave the sandbox, by the configuration (ELEVATED-1, ELEVATED-2). It depends on the
#   agent only and belongs to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.elevated.settings

import data.gavel.config
import data.gavel.elevated.entries

# METADATA
# description: |
#   default: the level if neither message nor session has one. off: the paths of the settings that
#   turn elevated mode off. lists: each list of senders that must name the sender, as {"path",
#   "channels": {channel: entries}}, where the channel "" stands for any
configured := {
	"default": _default,
	"off": [sprintf("%s.enabled", [scope.path]) | some scope in _scopes; object.get(scope.value, "enabled", true) != true],
	"lists": [{"path": sprintf("%s.allowFrom", [scope.path]), "channels": entries.channels(scope.value.allowFrom)} | some scope in _scopes],
	"global": count(object.get(_global, "allowFrom", [])) > 0,
}

# Undefined without a value; then a call that requests elevated mode itself has the level ask.
_default := config.section(["agents", "defaults", "elevatedDefault"])

_global := config.section(["tools", "elevated"])

_scopes := array.concat(
	[{"path": "tools.elevated", "value": _global}],
	[{"path": sprintf("%s.tools.elevated", [scope.path]), "value": scope.value.tools.elevated} | some scope in config.scopes(input.agent.id)],
)
