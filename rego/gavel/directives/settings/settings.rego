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

_no_request := {"security": "", "ask": "", "host": "", "node": "", "elevated": false, "declined": false}

# The input without the session's values, and with a host that the directive requests.
_without_session(host) := object.union(input, {
	"exec": {"request": object.union(_no_request, {"host": host})},
	"session": {"elevated": "", "inline": "", "exec": {"security": "", "ask": "", "host": "", "node": ""}},
	"sessionValues": {
		"state": "read",
		"own": {"security": "", "ask": "", "host": "", "node": "", "elevated": ""},
		"others": [],
	},
})

_current_input := object.union(input, {"exec": {"request": _no_request}})

# METADATA
# description: the values of each setting; node has none, because it may be any word
vocabulary := {
	"security": data.gavel.catalog.exec.security,
	"ask": data.gavel.catalog.exec.ask,
	"host": array.concat(data.gavel.catalog.exec.hosts, ["auto"]),
}

# METADATA
# description: the values of the configuration, if commands run on a host; "" is the host that is configured
base(host) := {"security": security, "ask": ask} if {
	security := modes.security with input as _without_session(host)
	ask := modes.ask_mode with input as _without_session(host)
}

# METADATA
# description: a value permits more than the configuration, or may do so
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
	modes.host with input as _without_session(host)
}

# METADATA
# scope: document
# description: the node is the agent's, or the agent is not bound to a node
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
	plain_host := _host with input as _without_session("")
	host := _host with input as _current_input
	security := modes.security with input as _current_input
	ask := modes.ask_mode with input as _current_input
	node := _node with input as _current_input
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
# description: the values that are stored for the session cannot be read
unknown contains r if some r in values.deny
