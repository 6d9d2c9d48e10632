# METADATA
# title: Settings of a session
# description: |
#   What /exec shows and may set: the values in force, where each comes from, and whether a value
#   permits more than the configuration (R13).
# schemas:
#   - input: schema.facts
package gavel.directives.settings

import data.gavel.exec.modes
import data.gavel.exec.values
import data.gavel.frozen

_blank := {"security": "", "ask": "", "host": "", "node": "", "elevated": false, "declined": false}

# The same question without what the session says; the directive asks for a host.
_configured(host) := object.union(input, {
	"exec": {"request": object.union(_blank, {"host": host})},
	"session": {"elevated": "", "inline": "", "exec": {"security": "", "ask": "", "host": "", "node": ""}},
	"sessionValues": {
		"state": "read",
		"own": {"security": "", "ask": "", "host": "", "node": "", "elevated": ""},
		"others": [],
	},
})

_now := object.union(input, {"exec": {"request": _blank}})

# METADATA
# description: the words for a setting; undefined for node, which is any word
vocabulary := {
	"security": data.gavel.catalog.exec.security,
	"ask": data.gavel.catalog.exec.ask,
	"host": array.concat(data.gavel.catalog.exec.hosts, ["auto"]),
}

# METADATA
# description: the values of the configuration, if commands run on a host; "" is the host that is configured
base(host) := {"security": security, "ask": ask} if {
	security := modes.security with input as _configured(host)
	ask := modes.ask_mode with input as _configured(host)
}

# METADATA
# description: a value permits more than the configuration, or it cannot be told that it does not
loosens(key, value, host) if not _strict_enough(key, value, host)

_strict_enough(key, _, _) if key in {"host", "node"}

_strict_enough(key, value, host) if _strictness[key][value] >= _strictness[key][base(host)[key]]

_strictness := {
	"security": {"full": 0, "allowlist": 1, "deny": 2},
	"ask": {"off": 0, "on-miss": 1, "always": 2},
}

# METADATA
# description: the configuration lets the agent's commands run on a host
has_host(host) if {
	modes.host with input as _configured(host)
}

# METADATA
# scope: document
# description: a node is the agent's, or the agent has none in particular
has_node(node) if frozen.result.exec.node.value in {"", node}

has_node(node) if lower(frozen.result.exec.node.value) == node

# METADATA
# description: the values in force, each with the setting or the session that it comes from
current := [
	object.union({"key": "host", "value": host}, _source("host", host, plain_host)),
	object.union({"key": "security", "value": security}, _source("security", security, configured.security)),
	object.union({"key": "ask", "value": ask}, _source("ask", ask, configured.ask)),
	object.union({"key": "node", "value": node}, _source("node", node, frozen.result.exec.node.value)),
] if {
	configured := base("")
	plain_host := _host with input as _configured("")
	host := _host with input as _now
	security := modes.security with input as _now
	ask := modes.ask_mode with input as _now
	node := _node with input as _now
}

# METADATA
# description: a setting is the session's if it differs from the configuration's
_source(key, value, configured) := {"path": found.path, "from": found.from} if {
	value == configured
	found := frozen.result.exec[key]
} else := {"path": "", "from": "session"}

default _host := ""

_host := modes.host

default _node := ""

_node := modes.node

# METADATA
# description: what is stored cannot be read
unknown contains r if some r in values.deny
