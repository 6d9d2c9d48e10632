# METADATA
# title: Sandboxes of a configuration
# description: |
#   Sandbox settings that contradict each other: each backend has its own scopes (SANDBOX-1).
package gavel.check.sandboxes

import data.gavel.config

# METADATA
# description: scopes that the backend does not have, as problems of the configuration
problems contains {
	"path": _path(scope, backend),
	"message": sprintf("the backend %s has no scope %s (%s is %q)", [backend.value, scope.value, _other_path(scope, backend), _other_value(scope, backend)]),
	"value": scope.value,
	"candidates": scopes,
	"fix": sprintf("with %s, use the scope %s", [backend.value, concat(" or ", scopes)]),
} if {
	some [scope, backend] in _pairs
	scopes := data.gavel.catalog.sandbox.backends[backend.value]
	not scope.value in scopes
}

_pairs contains [scope, backend] if {
	some id in config.agents
	scope := _setting(id, "scope")
	backend := _setting(id, "backend")
}

_pairs contains [scope, backend] if {
	scope := _global("scope")
	backend := _global("backend")
}

_setting(id, key) := config.setting(id, ["sandbox", key], ["sandboxing", key])

_global(key) := {"value": value, "path": sprintf("sandboxing.%s", [key]), "from": "global"} if {
	value := config.section(["sandboxing", key])
	is_string(value)
}

# If only one of the two settings is the agent's own, that is the one to change.
_path(scope, backend) := backend.path if {
	scope.from == "global"
	backend.from == "agent"
} else := scope.path

_other_path(scope, backend) := scope.path if {
	_path(scope, backend) == backend.path
} else := backend.path

_other_value(scope, backend) := scope.value if {
	_path(scope, backend) == backend.path
} else := backend.value
