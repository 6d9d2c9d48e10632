# METADATA
# title: Request
# description: |
#   The host, node, security and ask that the call requests. Values that Gavel does not know are
#   denied.
# schemas:
#   - input: schema.facts
package gavel.exec.request

import data.gavel.exec.file
import data.gavel.exec.modes
import data.gavel.exec.values
import data.gavel.frozen
import data.gavel.reason

# METADATA
# title: Security is deny
# description: security deny rejects every command
# custom:
#   code: exec.security_deny
#   message: 'this agent may not run commands%s: security is deny'
#   fix: '%s'
#   advises: >-
#     change the setting that says deny: set tools.exec.security to allowlist and list the programs, leave
#     the parameter security out, or set the session to another value
deny contains reason.fixed(rego.metadata.rule(), [_host_shown], [security_fix], modes.source(frozen.result.exec.security)) if {
	modes.security == "deny"
}

# METADATA
# title: Host is not allowed
# description: a call cannot choose a host other than the configured one (R30)
# custom:
#   code: exec.host_not_allowed
#   message: this agent's commands do not run on host %q
#   fix: leave host out, or change %s
deny contains reason.fixed(rego.metadata.rule(), [modes.requested_host], [frozen.result.exec.host.path], modes.source(frozen.result.exec.host)) if {
	not modes.host
}

# METADATA
# title: Node is not allowed
# description: an agent that is bound to a node cannot choose another node
# custom:
#   code: exec.node_not_allowed
#   message: node %q is not this agent's node, %q
#   fix: leave node out, or change %s
deny contains reason.fixed(
	rego.metadata.rule(),
	[modes.requested_node, frozen.result.exec.node.value],
	[frozen.result.exec.node.path],
	modes.source(frozen.result.exec.node),
) if {
	frozen.result.exec.node.value != ""
	not modes.requested_node in {"", lower(frozen.result.exec.node.value)}
}

# METADATA
# title: Setting is unknown
# description: an unknown value is never read as a known one
# custom:
#   code: exec.unknown_setting
#   message: '%q is not a value of %s'
#   fix: use one of %s, or leave it out
deny contains reason.fixed(rego.metadata.rule(), [word, key], [concat(", ", valid)], {}) if {
	some [key, word] in _stated
	valid := _vocabulary[key]
	not word in valid
}

# METADATA
# title: Node is not named
# description: a command on a node needs one, from the binding of the agent or from the call (EXEC-9)
# custom:
#   code: exec.node_missing
#   message: the command would run on a node, and nothing says which one
#   fix: bind the agent to a node with %s, or name one in the call
deny contains reason.fixed(rego.metadata.rule(), [], [frozen.result.exec.node.path], modes.source(frozen.result.exec.node)) if {
	modes.host == "node"
	not _node_named
}

# What the session, the call and directives say.
_stated contains [key, word] if {
	some key, _ in _vocabulary
	word := input.session.exec[key]
	word != ""
}

_stated contains [key, word] if {
	some key, _ in _vocabulary
	word := input.exec.request[key]
	word != ""
}

_stated contains [key, word] if {
	some key, _ in _vocabulary
	some word in values.of(key)
	word != ""
}

_node_named if {
	is_string(modes.node)
	modes.node != ""
}

_vocabulary := {
	"security": data.gavel.catalog.exec.security,
	"ask": data.gavel.catalog.exec.ask,
	"host": array.concat(data.gavel.catalog.exec.hosts, ["auto"]),
}

default _host_shown := ""

_host_shown := sprintf(" on host %s", [modes.host])

# METADATA
# scope: document
# description: what would permit commands if security is deny, which depends on where it is set
default security_fix := "set the session to another value with /exec security=allowlist"

security_fix := sprintf("set %s to allowlist, and list the programs that the agent may run", [frozen.result.exec.security.path]) if {
	modes.configured_security == "deny"
	modes.host
} else := sprintf("choose a host that %s permits", [frozen.result.exec.host.path]) if {
	not modes.host
} else := "leave the parameter security out of the call" if {
	input.exec.request.security == "deny"
} else := sprintf("set %s to allowlist", [said.path]) if {
	said := file.setting("security")
	said.value == "deny"
}
