# METADATA
# title: Lists of hosts
# description: |
#   The configuration's lists and limits for web tools (WEB-1). They depend on the agent only
#   and belong to the frozen part.
# schemas:
#   - input: schema.facts
package gavel.resources.weblists

import data.gavel.config

# METADATA
# description: |
#   for each web tool, its allow and deny lists as [{"path", "patterns"}], the paths of the
#   settings that turn it off, its limits, the networks that deny lists name (refused), and all
#   other networks that it may or may not connect to (dial); the first that contains an address
#   counts
configured := {tool: _settings(tool) | some tool, _ in data.gavel.catalog.web.lists}

_settings(tool) := {
	"allow": _set(tool, "allow"),
	"deny": _set(tool, "deny"),
	"off": [sprintf("%s.%s.enabled", [scope.path, tool]) | some scope in _scopes; object.get(scope.tools, [tool, "enabled"], true) != true],
	"maxResponseBytes": min(_limits(tool)),
	"followRedirects": _follows(tool),
	"refused": _refused(tool),
	"dial": _dial(tool),
}

_follows(tool) := false if {
	some scope in _scopes
	object.get(scope.tools, [tool, "followRedirects"], true) != true
} else := data.gavel.catalog.web.defaults.followRedirects

_set(tool, kind) := [{"path": sprintf("%s.%s.%s", [scope.path, tool, key]), "patterns": [_pattern(text) | some text in patterns]} |
	key := data.gavel.catalog.web.lists[tool][kind]
	some scope in _scopes
	patterns := object.get(scope.tools, [tool, key], [])
	count(patterns) > 0
]

_limits(tool) := set if {
	set := {limit | some scope in _scopes; limit := scope.tools[tool].maxResponseBytes}
	count(set) > 0
} else := {data.gavel.catalog.web.defaults.maxResponseBytes}

_scopes := config.tool_scopes(input.agent.id)

# The address to which a name resolves is judged in this order: networks of deny lists, networks
# of allow lists, networks that are not public, all others.
_refused(tool) := [{"network": network, "allow": false} | some network in _networks(tool, "deny")]

_dial(tool) := array.concat([{"network": network, "allow": true} | some network in _networks(tool, "allow")], _public)

_networks(tool, kind) := {pattern.host |
	some list in _set(tool, kind)
	some pattern in list.patterns
	net.cidr_is_valid(pattern.host)
}

_public := array.concat(
	[{"network": network, "allow": false} | some network, _ in data.gavel.catalog.web.networks],
	[{"network": network, "allow": true} | some network in ["0.0.0.0/0", "::/0"]],
)

# A pattern in parts; "" stands for anything. The host is a name, *.name, * or a network.
_pattern(text) := {"scheme": scheme, "host": _network(trim_suffix(concat("", [name, six]), ".")), "port": port} if {
	[[_, scheme, name, six, port]] := regex.find_all_string_submatch_n(_form, lower(text), 1)
}

_form := `^(?:(https?)://)?(?:([^/:\[\]]+(?:/[0-9]+)?)|\[?([0-9a-f:.]*:[0-9a-f:.]*(?:/[0-9]+)?)\]?)(?::([0-9]+|\*))?$`

# A single address is a network of one.
_network(host) := single(host) if {
	net.cidr_is_valid(single(host))
} else := host

# METADATA
# description: the network that has one address only
single(address) := sprintf("%s/%d", [address, _bits[contains(address, ":")]])

_bits := {true: 128, false: 32}
