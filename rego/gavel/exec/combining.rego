# What holds for a command when the configuration, the session and the call all say
# something: the strictest wins, and a call can never loosen (R12, R13, R30).
package gavel.exec

# METADATA
# description: where the command runs (R30); undefined for a host that the call may not choose
host := configured.unasked_host if {
	not _overridden
} else := configured.host.value if {
	configured.host.value in {"gateway", "node"}
	_requested_host in {"", "auto", configured.host.value}
} else := "sandbox" if {
	_confined
	configured.sandboxed == true
	_requested_host in {"", "auto", "sandbox"}
} else := "gateway" if {
	_confined
	configured.sandboxed == false
	_requested_host in {"", "auto", "sandbox", "gateway"}
} else := "node" if {
	_confined
	configured.sandboxed == false
	_requested_host == "node"
}

_confined if configured.host.value in {"sandbox", "auto"}

# METADATA
# description: the node that runs it, when the host is a node
node := configured.node.value if {
	configured.node.value != ""
} else := _requested_node

# METADATA
# description: the tightest security that the configuration, the session and the call name (R13)
security := configured.unasked_security if {
	not _overridden
} else := "deny" if {
	"deny" in _securities
} else := "allowlist" if {
	"allowlist" in _securities
} else := "full" if {
	_securities == {"full"}
} else := "deny"

_securities := {_configured_security, input.session.exec.security, input.exec.request.security, file_setting("security").value} - {""}

_configured_security := configured.security.value if {
	configured.security.value != ""
} else := mode if {
	mode := data.gavel.catalog.exec.defaults.security[host]
} else := "deny"

# METADATA
# description: the strictest ask that the configuration, the session and the call name (R13)
ask_mode := configured.ask.value if {
	not _overridden
} else := "always" if {
	"always" in _asks
} else := "on-miss" if {
	"on-miss" in _asks
} else := "off" if {
	_asks == {"off"}
} else := "always"

_asks := {configured.ask.value, input.exec.request.ask, input.session.exec.ask, file_setting("ask").value} - {""}

# The session, the call or the approvals file says something; it can only tighten.
_overridden if not _as_configured

_as_configured if {
	_file_silent
	input.session.exec == {"security": "", "ask": "", "host": "", "node": ""}
	input.exec.request == {"security": "", "ask": "", "host": "", "node": "", "elevated": false}
}

# The call's own choice comes before the session's.
_requested_host := _first_said(input.exec.request.host, input.session.exec.host)

_requested_node := _first_said(input.exec.request.node, input.session.exec.node)

_first_said(call, session) := call if {
	call != ""
} else := session
